/** The part that was typed, in blue: of a phone also where it is shown in groups. */
export function Matched({ text, typed = '' }: { text: string; typed?: string | undefined }) {
  const letters = typed.replace(/[\s()+./-]/g, '');
  const wanted = /^\d+$/.test(letters) ? [...letters].join(' ?') : typed.trim().replace(/\W/g, '\\$&');
  const found = wanted === '' ? null : new RegExp(wanted, 'i').exec(text);
  if (!found) return text;
  const end = found.index + found[0].length;
  return (
    <>
      {text.slice(0, found.index)}
      <mark className="bg-transparent text-accent">{text.slice(found.index, end)}</mark>
      {text.slice(end)}
    </>
  );
}
