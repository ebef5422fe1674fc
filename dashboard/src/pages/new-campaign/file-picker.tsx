import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../kit/button.tsx';
import { classes } from '../../kit/words.ts';
import { CheckProgress } from './check-state.tsx';
import { change, type Draft } from './draft.ts';
import { tellBrowserFile } from './file-store.ts';
import type { ListCheck } from './list-check.ts';

/** Where a list is dropped or chosen. The file is kept in this browser, and is never read by the page. */
export function FilePicker({ draft, check }: { draft: Draft; check: ListCheck }) {
  const input = useRef<HTMLInputElement>(null);
  const isOver = useDrop((file) => take(file, draft));
  const id = useId();
  const { file } = draft;
  const isLost = file !== null && check.file === null;
  return (
    <div
      className={classes(
        'rounded-lg border border-dashed px-4',
        file && !isLost ? 'mb-6 py-3' : 'grid content-center py-8 text-center',
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
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          if (chosen) take(chosen, draft);
          event.target.value = '';
        }}
      />
      {file && !isLost ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <span className="min-w-0 flex-1">
            <span className="font-medium">{file.name}</span>{' '}
            <span className="text-quiet">{sizeText(file.size)}</span>
          </span>
          <Button small onClick={() => input.current?.click()}>
            Choose another file
          </Button>
          <div className="w-full">
            <CheckProgress check={check} />
          </div>
        </div>
      ) : (
        <>
          <p className="font-medium">
            {isLost ? (
              `This browser no longer has ${file.name}`
            ) : (
              <>
                The people to call: choose a file<span className="max-lg:hidden">, or drop it here</span>
              </>
            )}
          </p>
          <p className="mt-1 mb-4 text-quiet">
            {isLost
              ? 'Choose it again. Everything else that you filled in is still there.'
              : 'CSV or Excel (.xlsx): a header, then one person a row.'}
          </p>
          <div>
            <Button kind="main" onClick={() => input.current?.click()}>
              Choose a file
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

/** Anywhere on the page: a file that is dropped beside the place would else replace the page. */
function useDrop(onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useRef(onFile);
  useEffect(() => {
    take.current = onFile;
  });
  useEffect(() => {
    const listening = new AbortController();
    const on = (type: 'dragover' | 'dragleave' | 'drop', act: (event: DragEvent) => void) =>
      window.addEventListener(type, act, { signal: listening.signal });
    on('dragover', (event) => {
      event.preventDefault();
      setOver(true);
    });
    on('dragleave', (event) => event.relatedTarget === null && setOver(false));
    on('drop', (event) => {
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file) take.current(file);
    });
    return () => listening.abort();
  }, []);
  return isOver;
}

/** Columns that were named for another file are forgotten; a campaign gets its first name from its file. */
export function take(file: File, { name, file: before }: Draft): void {
  const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  tellBrowserFile({ id, file });
  const isNamed = name.trim() !== '' && name !== nameOf(before?.name ?? '');
  change({
    file: { id, name: file.name, size: file.size, type: file.type },
    found: null,
    map: {},
    sheet: '',
    name: isNamed ? name : nameOf(file.name),
  });
}

const nameOf = (file: string) =>
  file
    .replace(/\.[^.]*$/, '')
    .replace(/[/\\]/g, ' ')
    .trim();

const sizes = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${sizes.format(bytes / 1_000)} kB` : `${sizes.format(bytes / 1_000_000)} MB`;
}
