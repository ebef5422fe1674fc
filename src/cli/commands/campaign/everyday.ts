import { quoteWord } from '../../../base/terminal-safe.ts';
import { changeCampaign } from '../../../control/campaigns/change.ts';
import { cloneCampaign, createCampaign } from '../../../control/campaigns/create.ts';
import { deleteCampaign } from '../../../control/campaigns/delete.ts';
import { showCampaign } from '../../../control/campaigns/show.ts';
import { changePerson, removePerson } from '../../../control/people/edit.ts';
import type { Person } from '../../../control/people/person.ts';
import { withoutKeys } from '../../../ledger-only.ts';
import { requireService } from '../../../voice/clients.ts';
import { type Cli, type Command, command, required } from '../../command-io.ts';
import { agrees } from '../../confirm.ts';
import { addOrderFlags, orderOf, readVariables } from '../../flags.ts';
import { counted } from '../../output/summary.ts';
import { onLedger } from '../../reporting.ts';

/** A campaign made, copied, renamed or deleted, and one person on its list, also while it is dialled. */
const nameArgument = ['<name>', 'the campaign’s name, or its id'] as const;

/** An order without people, for the background workers. */
export function createCommand(cli: Cli): Command {
  const made = command(
    'create',
    'Make a campaign without people, for the background workers. Add people to it, then start it.',
    'carillon campaign create march --agent agent_123 --from +14155550100 --country US --window 09:00-20:00\n' +
      'carillon campaign add march people.csv\n' +
      'carillon campaign start march',
  ).argument('<name>', 'the name of the new campaign');
  const bodyOf = (name: string, flags: { agent?: string[] }) => ({
    ...orderOf(flags),
    name,
    agent: required(flags.agent, '--agent <id>'),
  });
  return onLedger(cli, addOrderFlags(made), {
    async find(opened, name: string, flags: { agent?: string[] }) {
      requireService(opened.config);
      return (await createCampaign(withoutKeys(opened, { note: cli.note }), bodyOf(name, flags))).answer;
    },
    tell({ name }) {
      const word = quoteWord(name);
      return [
        `${name} is a draft without people.`,
        `Add people with \`carillon campaign add ${word} people.csv\`.`,
        `Then start it with \`carillon campaign start ${word}\`.`,
      ];
    },
    check: (typed) => bodyOf(...typed),
  });
}

export function cloneCommand(cli: Cli): Command {
  const made = command(
    'clone',
    'Make a new draft with a campaign’s order, and with its people if you want.',
    'carillon campaign clone march april --people',
  )
    .argument(...nameArgument)
    .argument('<new>', 'the name of the new campaign')
    .option('--people', 'also copy the people, as not called; people who were taken off the list stay off');
  return onLedger(cli, made, {
    async find({ ledger, config }, name: string, wanted: string, { people = false }: { people?: boolean }) {
      const service = { ledger, baseUrl: config.voice.baseUrl ?? '' };
      return (await cloneCampaign(service, name, { name: wanted, people })).answer;
    },
    tell: ({ name, balance }) => [
      `${name} is a draft with ${counted(balance.rows, 'row')}.`,
      `Start it with \`carillon campaign start ${quoteWord(name)}\`.`,
    ],
  });
}

export function renameCommand(cli: Cli): Command {
  const made = command('rename', 'Give a campaign another name.', 'carillon campaign rename march march-2026')
    .argument(...nameArgument)
    .argument('<new>', 'the new name')
    .option('--json', 'print one JSON document');
  return made.action((name: string, wanted: string, options: { json?: true }) =>
    cli.withLedger(async ({ ledger, config }) => {
      const before = await ledger.campaigns.get(name);
      const service = { ledger, baseUrl: config.voice.baseUrl ?? '' };
      const after = await changeCampaign(service, before.id, { name: wanted });
      if (options.json) return cli.json(after);
      cli.out(`${before.name} is now ${after.name}.`);
      if (before.driver === 'run')
        cli.out(
          `From now on, give \`carillon run\` --name ${after.name}: with the old name, it would call the whole list again.`,
        );
    }),
  );
}

export function deleteCommand(cli: Cli): Command {
  return command(
    'delete',
    'Delete a campaign with its people, attempts and results. Export them first.',
    'carillon campaign delete march --yes',
  )
    .argument(...nameArgument)
    .option('--yes', 'do not ask; a script needs it')
    .option('--json', 'print one JSON document')
    .action((name: string, options: { yes?: true; json?: true }) =>
      cli.withLedger(async ({ ledger }) => {
        const { id, name: named, balance } = await showCampaign(ledger, name);
        const what = `${counted(balance.rows, 'row')} and ${counted(balance.attempts, 'attempt')}`;
        if (!options.yes && !(await agrees(cli, `Delete ${named} with ${what}?`)))
          return cli.note('Nothing was changed.');
        const gone = await deleteCampaign(ledger, id, { whole: true });
        if (options.json) cli.json(gone);
        else cli.out(`${named} is deleted, with ${what}.`);
      }),
    );
}

type PersonFlags = {
  name?: string;
  phone?: string;
  timezone?: string;
  agent?: string;
  variable?: string[];
  country?: string;
};

const campaignArgument = ['<campaign>', 'the campaign’s name, or its id'] as const;
const personArgument = ['<person>', 'the person’s phone, or the recipient’s id'] as const;

export function changePersonCommand(cli: Cli): Command {
  const made = command(
    'change-person',
    'Change one person on a campaign’s list, even while it is dialled. An empty value clears the field.',
    'carillon campaign change-person march +14155550123 --timezone America/Denver --variable plan=gold',
  )
    .argument(...campaignArgument)
    .argument(...personArgument)
    .option('--name <name>', 'the person’s name')
    .option('--phone <phone>', 'another number; only for a person who was never called')
    .option('--country <code>', 'country of a number in national form, such as US (default: the campaign’s)')
    .option('--timezone <zone>', 'the person’s time zone, such as America/Denver')
    .option('--agent <id>', 'the agent for this person')
    .option(
      '--variable <name=value>',
      'a variable, as text; may be given several times',
      (value: string, before: string[] = []) => [...before, value],
    );
  return onLedger(cli, made, {
    find: (opened, campaign: string, person: string, flags: PersonFlags) =>
      changePerson(opened, campaign, person, changesIn(flags)),
    tell: (after) => `${after.phone} on ${after.campaign} is changed, and is ${stateOf(after)}.`,
    check: ([, , flags]) => changesIn(flags),
  });
}

function changesIn({ variable, phone, country, name, timezone, agent }: PersonFlags): object {
  const cleared = (text: string | undefined) => (text === '' ? null : text);
  return {
    name: cleared(name),
    timezone: cleared(timezone),
    agent: cleared(agent),
    phone,
    country,
    variables: variable && readVariables(variable, null),
  };
}

export function removePersonCommand(cli: Cli): Command {
  const made = command(
    'remove-person',
    'Take one person off a campaign’s list; a call in progress is not touched.',
    'carillon campaign remove-person march +14155550123',
  )
    .argument(...campaignArgument)
    .argument(...personArgument);
  return onLedger(cli, made, {
    find: (opened, campaign: string, person: string) => removePerson(opened, campaign, person),
    tell: (after) => `${after.phone} is off the list of ${after.campaign}: ${stateOf(after)}.`,
  });
}

function stateOf({ state, outcome }: Person): string {
  return outcome ? `${state}, ${outcome}` : state;
}
