/** Keys that work on every page: `/`, `?`, and `g` followed by a letter. */
export function isTyping(event: KeyboardEvent): boolean {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || isInDialog();
}

function isInDialog(): boolean {
  return document.querySelector('dialog[open]') !== null;
}

export type ShellKeys = { search(): void; help(): void; go(letter: string): void };

const goMs = 1_500;

export function listenForKeys({ search, help, go }: ShellKeys): () => void {
  let wentAt = 0;
  const take = (event: KeyboardEvent) => {
    if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const follows = Date.now() - wentAt < goMs;
    wentAt = 0;
    if (follows) go(event.key);
    else if (event.key === 'g') wentAt = Date.now();
    else if (event.key === '?') help();
    else if (event.key === '/') {
      event.preventDefault();
      search();
    }
  };
  window.addEventListener('keydown', take);
  return () => window.removeEventListener('keydown', take);
}
