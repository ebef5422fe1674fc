import type { ReactNode } from 'react';
import { Section } from '../../kit/card.tsx';
import { Command } from '../../kit/copy.tsx';
import { Empty } from '../../kit/empty.tsx';
import { counted } from '../../kit/words.ts';
import type { WrittenRules } from './written.ts';

/** The rules in force, in words. */
export function Rules({ rules }: { rules: WrittenRules }) {
  const { hours = [], caps = [], gap, after_conversation: pause, not_on: notOn = [] } = rules;
  const isEmpty = !gap && !pause && hours.length + caps.length + notOn.length === 0;
  return (
    <Section id="rules" title="In force" bare={isEmpty}>
      {isEmpty ? (
        <Empty title="No contact rules hold">
          <p>
            Calls are bound by the hours of their campaigns only. Rules name legal hours, how often one phone
            is called, and dates on which nobody is.
          </p>
          <Command>carillon policy set rules.json</Command>
        </Empty>
      ) : (
        <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[12rem_minmax(0,1fr)]">
          {hours.length > 0 && (
            <Rule name="Legal hours">
              <List items={hours} />
            </Rule>
          )}
          {caps.length > 0 && (
            <Rule name="Caps">
              <List
                items={caps.map(({ calls, per }) => `${counted(calls, 'call')} to one phone in ${per}`)}
              />
            </Rule>
          )}
          {gap && <Rule name="Gap">{gap} between two calls to one phone</Rule>}
          {pause && <Rule name="After a conversation">{pause} before the next call</Rule>}
          {notOn.length > 0 && (
            <Rule name="Nobody is called on">
              <List items={notOn} />
            </Rule>
          )}
          {hours.length > 0 && (
            <Rule name="State not known">
              the strictest: every state that the number can belong to must be open
            </Rule>
          )}
        </dl>
      )}
    </Section>
  );
}

function Rule({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-quiet">{name}</dt>
      <dd className="max-sm:mb-1">{children}</dd>
    </>
  );
}

function List({ items }: { items: readonly string[] }) {
  return (
    <ul>
      {items.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
