/** Text between backticks is a command. */
export const Commands = ({ text }: { text: string }) =>
  text.split('`').map((part, nth) =>
    nth % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move.
      <code key={nth} className="font-mono text-xs">
        {part}
      </code>
    ) : (
      part
    ),
  );
