import type { Command } from 'commander';
import { changePerson, removePerson } from '../../../control/people/edit.ts';
import type { Person } from '../../../control/people/person.ts';
import { type Cli, command } from '../../command-io.ts';
import { readVariables } from '../../variables.ts';

/** `carillon campaign change-person` and `remove-person`: one person on a list, also while it is dialled. */
type Flags = {
  name?: string;
  phone?: string;
  timezone?: string;
  agent?: string;
  variable?: string[];
  country?: string;
  json?: true;
};

export function changePersonCommand(cli: Cli): Command {
  return command(
    'change-person',
    'Change one person on a campaign’s list, even while it is dialled. An empty value clears the field.',
    'carillon campaign change-person march +14155550123 --timezone America/Denver --variable plan=gold',
  )
    .argument('<campaign>', 'the campaign’s name, or its id')
    .argument('<person>', 'the person’s phone, or the recipient’s id')
    .option('--name <name>', 'the person’s name')
    .option('--phone <phone>', 'another number; only for a person who was never called')
    .option('--country <code>', 'country of a number in national form, such as US (default: the campaign’s)')
    .option('--timezone <zone>', 'the person’s time zone, such as America/Denver')
    .option('--agent <id>', 'the agent for this person')
    .option(
      '--variable <name=value>',
      'a variable, as text; may be given several times',
      (value: string, before: string[] = []) => [...before, value],
    )
    .option('--json', 'print one JSON document')
    .action((campaign: string, person: string, flags: Flags) => {
      const { json, variable, phone, country, ...texts } = flags;
      const emptied = Object.entries(texts).map(([key, value]) => [key, value === '' ? null : value]);
      const body = {
        ...Object.fromEntries(emptied),
        phone,
        country,
        variables: variable && readVariables(variable, null),
      };
      return cli.withLedger(async (opened) => {
        const after = await changePerson(opened, campaign, person, body);
        if (json) cli.json(after);
        else cli.out(`${after.phone} on ${after.campaign} is changed, and is ${stateOf(after)}.`);
      });
    });
}

export function removePersonCommand(cli: Cli): Command {
  return command(
    'remove-person',
    'Take one person off a campaign’s list; a call in progress is not touched.',
    'carillon campaign remove-person march +14155550123',
  )
    .argument('<campaign>', 'the campaign’s name, or its id')
    .argument('<person>', 'the person’s phone, or the recipient’s id')
    .option('--json', 'print one JSON document')
    .action((campaign: string, person: string, { json }: Pick<Flags, 'json'>) =>
      cli.withLedger(async (opened) => {
        const after = await removePerson(opened, campaign, person);
        if (json) cli.json(after);
        else cli.out(`${after.phone} is off the list of ${after.campaign}: ${stateOf(after)}.`);
      }),
    );
}

function stateOf({ state, outcome }: Person): string {
  return outcome ? `${state}, ${outcome}` : state;
}
