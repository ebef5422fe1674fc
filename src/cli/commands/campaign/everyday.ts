import { quoteWord } from '../../../base/terminal-safe.ts';
import { changeCampaign } from '../../../control/campaigns/change.ts';
import { cloneCampaign, createCampaign } from '../../../control/campaigns/create.ts';
import { deleteCampaign } from '../../../control/campaigns/delete.ts';
import { showCampaign } from '../../../control/campaigns/show.ts';
import { changePerson, removePerson } from '../../../control/people/edit.ts';
import type { Person } from '../../../control/people/person.ts';
import { withoutKeys } from '../../../ledger-only.ts';
import { requireService } from '../../../voice/clients.ts';
import { type Cli, type Command, required } from '../../command-io.ts';
import { agrees, declined } from '../../confirm.ts';
import { orderOf, orderOptions, readVariables, several } from '../../flags.ts';
import { counted } from '../../output/summary.ts';
import { onLedger } from '../../reporting.ts';

/** A campaign made, copied, renamed or deleted, and one person on its list, also while it is dialled. */
const nameArgument = ['<name>', 'the campaign’s name, or its id'] as const;

/** An order without people, for the background workers. */
export function createCommand(cli: Cli): Command {
  const bodyOf = (name: string, flags: { agent?: string[] }) => ({
    ...orderOf(flags),
    name,
    agent: required(flags.agent, '--agent <id>'),
  });
  return onLedger(cli, {
    name: 'create',
    does: 'Make a campaign without people, for the background workers. Add people to it, then start it.',
    example:
      'carillon campaign create march --agent agent_123 --from +14155550100 --country US --window 09:00-20:00\n' +
      'carillon campaign add march people.csv\n' +
      'carillon campaign start march',
    takes: [['<name>', 'the name of the new campaign'], ...orderOptions],
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
  return onLedger(cli, {
    name: 'clone',
    does: 'Make a new draft with a campaign’s order, and with its people if you want.',
    example: 'carillon campaign clone march april --people',
    takes: [
      nameArgument,
      ['<new>', 'the name of the new campaign'],
      ['--people', 'also copy the people, as not called; people who were taken off the list stay off'],
    ],
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
  let old = '';
  return onLedger(cli, {
    name: 'rename',
    does: 'Give a campaign another name.',
    example: 'carillon campaign rename march march-2026',
    takes: [nameArgument, ['<new>', 'the new name']],
    async find({ ledger, config }, name: string, wanted: string) {
      const before = await ledger.campaigns.get(name);
      old = before.name;
      const service = { ledger, baseUrl: config.voice.baseUrl ?? '' };
      return changeCampaign(service, before.id, { name: wanted });
    },
    tell: ({ name, driver }) => [
      `${old} is now ${name}.`,
      ...(driver === 'run'
        ? [
            `From now on, give \`carillon run\` --name ${name}: with the old name, it would call the whole list again.`,
          ]
        : []),
    ],
  });
}

export function deleteCommand(cli: Cli): Command {
  let what = '';
  return onLedger(cli, {
    name: 'delete',
    does: 'Delete a campaign with its people, attempts and results. Export them first.',
    example: 'carillon campaign delete march --yes',
    takes: [nameArgument, ['--yes', 'do not ask; a script needs it']],
    async find({ ledger }, given: string, { yes }: { yes?: true }) {
      const { id, name, balance } = await showCampaign(ledger, given);
      what = `${counted(balance.rows, 'row')} and ${counted(balance.attempts, 'attempt')}`;
      if (!yes && !(await agrees(cli, `Delete ${name} with ${what}?`))) return declined(cli);
      return deleteCampaign(ledger, id, { whole: true });
    },
    tell: ({ campaign }) => `${campaign} is deleted, with ${what}.`,
  });
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
  return onLedger(cli, {
    name: 'change-person',
    does: 'Change one person on a campaign’s list, even while it is dialled. An empty value clears the field.',
    example:
      'carillon campaign change-person march +14155550123 --timezone America/Denver --variable plan=gold',
    takes: [
      campaignArgument,
      personArgument,
      ['--name <name>', 'the person’s name'],
      ['--phone <phone>', 'another number; only for a person who was never called'],
      ['--country <code>', 'country of a number in national form, such as US (default: the campaign’s)'],
      ['--timezone <zone>', 'the person’s time zone, such as America/Denver'],
      ['--agent <id>', 'the agent for this person'],
      ['--variable <name=value>', 'a variable, as text; may be given several times', several],
    ],
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
  return onLedger(cli, {
    name: 'remove-person',
    does: 'Take one person off a campaign’s list; a call in progress is not touched.',
    example: 'carillon campaign remove-person march +14155550123',
    takes: [campaignArgument, personArgument],
    find: (opened, campaign: string, person: string) => removePerson(opened, campaign, person),
    tell: (after) => `${after.phone} is off the list of ${after.campaign}: ${stateOf(after)}.`,
  });
}

function stateOf({ state, outcome }: Person): string {
  return outcome ? `${state}, ${outcome}` : state;
}
