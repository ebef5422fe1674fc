import { useState } from 'react';
import { Button } from './button.tsx';

export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      // Only https and localhost may.
      setState('failed');
    }
    setTimeout(() => setState('idle'), 2_000);
  };
  return (
    <Button small kind="quiet" onClick={() => void copy()}>
      {state === 'idle' ? label : state === 'copied' ? 'Copied' : 'Select and copy it by hand'}
    </Button>
  );
}

export const Command = ({ children }: { children: string }) => (
  <span className="my-1 flex items-center justify-between gap-2 rounded-md bg-sunken py-1 pr-1 pl-3 text-left">
    <code className="min-w-0 font-mono text-sm wrap-anywhere whitespace-pre-wrap text-text">{children}</code>
    <Copy text={children} />
  </span>
);
