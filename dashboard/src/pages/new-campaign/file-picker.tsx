import { useEffect, useId, useRef, useState } from 'react';
import { newKey } from '../../data/queries.ts';
import { Button } from '../../kit/basics.tsx';
import { classes } from '../../kit/words.ts';
import { change, type Draft, draftNow } from './draft.ts';
import { tellBrowserFile } from './file-store.ts';

/** Where a list is dropped or chosen. The file is kept in this browser, and is never read by the page. */
export function FilePicker({ file, isLost }: { file: Draft['file']; isLost: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDrop();
  const id = useId();
  const isChosen = file && !isLost;
  return (
    <div
      className={classes(
        'flex flex-wrap items-center gap-3 rounded-lg border border-dashed px-4',
        isChosen ? 'mb-4 py-3' : 'flex-col justify-center py-6 text-center',
        isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
    >
      <label htmlFor={id} className="sr-only">
        File with the people
      </label>
      <input
        ref={input}
        id={id}
        type="file"
        tabIndex={-1}
        accept=".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl,text/csv"
        className="sr-only"
        onChange={({ target }) => {
          if (target.files?.[0]) take(target.files[0]);
          target.value = '';
        }}
      />
      <div className={isChosen ? 'min-w-0 flex-1 truncate' : ''}>
        <p className="font-medium">
          {isChosen ? file.name : file ? `This browser no longer has ${file.name}` : 'The people to call'}
        </p>
        {!isChosen && (
          <p className="text-quiet">
            {file
              ? 'Choose it again. Everything else that you filled in is still there.'
              : 'CSV or Excel: a header, then a row a person.'}
          </p>
        )}
      </div>
      <Button
        small={Boolean(isChosen)}
        kind={isChosen ? 'plain' : 'main'}
        onClick={() => input.current?.click()}
      >
        {isChosen ? 'Choose another file' : 'Choose a file, or drop it here'}
      </Button>
    </div>
  );
}

/** Anywhere on the page: a file that is dropped beside the place would else replace the page. */
function useDrop(): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const types = ['dragover', 'dragleave', 'drop'] as const;
    const drag = (event: DragEvent) => {
      event.preventDefault();
      setOver(event.type === 'dragover');
      const file = event.type === 'drop' && event.dataTransfer?.files[0];
      if (file) take(file);
    };
    for (const type of types) window.addEventListener(type, drag);
    return () => {
      for (const type of types) window.removeEventListener(type, drag);
    };
  }, []);
  return isOver;
}

/** Columns that were named for another file are forgotten; a campaign gets its first name from its file. */
export function take(file: File): void {
  const { name, file: before } = draftNow();
  const id = newKey();
  tellBrowserFile({ id, file });
  const isNamed = name.trim() !== '' && name !== nameOf(before?.name ?? '');
  change({
    file: { id, name: file.name },
    found: null,
    map: {},
    fixes: {},
    sheet: '',
    name: isNamed ? name : nameOf(file.name),
  });
}

const nameOf = (file: string) =>
  file
    .replace(/\.[^.]*$/, '')
    .replace(/[/\\]/g, ' ')
    .trim();
