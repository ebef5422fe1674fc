import type { Agent } from '../../api/description.ts';
import { useAsk } from '../../data/queries.ts';
import { Button } from '../../kit/button.tsx';
import { TextField } from '../../kit/field.tsx';
import { counted, percent } from '../../kit/words.ts';
import { change, type Draft } from './draft.ts';

/** The agent that speaks; several share the people, and each person keeps the same one. */
export function Agents({ draft: { agent: agents, faults, map } }: { draft: Draft }) {
  const set = (at: number, changes: Partial<Draft['agent'][number]>) =>
    change({ agent: agents.map((each, nth) => (nth === at ? { ...each, ...changes } : each)) });
  const whole = agents.reduce((sum, { share }) => sum + partOf(share), 0);
  const areSeveral = agents.length > 1;
  const listed = useAsk('GET /api/agents', {});
  const known = listed.data?.items ?? [];
  return (
    <div>
      <datalist id="agents">
        {known.map(({ id, name, key }) => (
          <option key={`${key} ${id}`} value={id} label={name ?? id} />
        ))}
      </datalist>
      <ul className="space-y-3">
        {agents.map((agent, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a place in the list is all that a line has.
          <li key={at} className="flex max-w-2xl flex-wrap items-end gap-2">
            <div className="min-w-40 flex-1">
              <TextField
                label={areSeveral ? `Agent ${at + 1}` : 'Agent'}
                value={agent.id}
                onChange={(event) => set(at, { id: event.target.value })}
                placeholder={known[0]?.id ?? 'agent_…'}
                {...(known.length > 0 ? { list: 'agents' } : {})}
                help={nameOf(known, agent.id)}
                autoComplete="off"
                spellCheck={false}
                error={at === 0 ? faults.agent : undefined}
              />
            </div>
            {areSeveral && (
              <>
                <div className="w-20">
                  <TextField
                    label="Share"
                    inputMode="numeric"
                    value={agent.share}
                    placeholder="1"
                    onChange={(event) => set(at, { share: event.target.value })}
                  />
                </div>
                <span className="number w-14 py-2 text-quiet">
                  {whole > 0 ? percent(partOf(agent.share) / whole) : '–'}
                </span>
                <Button
                  kind="quiet"
                  onClick={() => change({ agent: agents.filter((_, nth) => nth !== at) })}
                  aria-label={`Remove agent ${at + 1}`}
                >
                  Remove
                </Button>
              </>
            )}
          </li>
        ))}
      </ul>
      <p className="mt-1 text-sm text-quiet">
        {known.length > 0
          ? `The service has ${counted(known.length, 'agent')}: choose one, or write its id or its name. `
          : 'The id that the agent has at the voice service. '}
        {map.agent && `Rows with a value in the column ${map.agent} have that agent instead.`}
      </p>
      <Button small className="mt-3" onClick={() => change({ agent: [...agents, { id: '', share: '' }] })}>
        Add an agent that shares the people
      </Button>
    </div>
  );
}

/** The name of an id; of one that is not among those that the service lists, that. */
function nameOf(known: readonly Agent[], typed: string): string | undefined {
  const wanted = typed.trim();
  if (wanted === '' || known.length === 0) return undefined;
  const found = known.find(({ id, name }) => id === wanted || name === wanted);
  if (!found) return 'The service lists no agent with this id or name.';
  return found.id === wanted ? (found.name ?? undefined) : `It is ${found.id}.`;
}

function partOf(share: string): number {
  const part = Number(share.trim() || 1);
  return Number.isFinite(part) ? part : 0;
}
