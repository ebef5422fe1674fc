import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { CarillonError } from '../../base/errors.ts';
import { faultOf, wellFormed } from '../../intake/json-values.ts';
import { createScreen } from '../../intake/recipients.ts';
import type { CallRow } from '../../ledger/calls/calls.ts';
import type { Campaign } from '../../ledger/campaigns/campaigns.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { PersonChange, PersonRefusal } from '../../ledger/people/people.ts';
import { readPhone } from '../../rules/phone/phone.ts';
import { readPlace } from '../../rules/phone/place.ts';
import { country, namesVersion, read, text } from '../requests/input.ts';
import { refuseErased } from './erase.ts';
import { findPerson, type Person, showPerson } from './person.ts';

/** Changes a person on a list, or takes the person off it, while the campaign runs. */
type EditDeps = { ledger: Ledger; clock: Pick<Clock, 'now'> };

export const personChange = z
  .strictObject({
    name: text(500).nullish(),
    timezone: text(100).nullish(),
    agent: text(200).nullish(),
    variables: z.record(z.string(), z.unknown()).optional(),
    phone: text(64).optional(),
    country: country.optional(),
  })
  .refine(
    ({ country: _, ...wanted }) => Object.values(wanted).some((value) => value !== undefined),
    'names nothing to change',
  );
type Wanted = z.output<typeof personChange>;

/** Null removes a name, a time zone, an agent or a variable. Fields that are not named stay. */
export async function changePerson(
  deps: EditDeps,
  nameOrId: string,
  ref: string,
  body: unknown,
  ifMatch?: string,
): Promise<Person> {
  const wanted = read(personChange, body);
  const { ledger } = deps;
  const campaign = await ledger.campaigns.get(nameOrId);
  checkList(campaign);
  const person = await findPerson(ledger, campaign, ref);
  const change = { ...readChange(wanted), ...placeOf(deps, campaign, person, wanted) };
  if (change.phone !== undefined) await refuseErased(ledger, change.phone);
  const refusal = await ledger.together(async ({ people, activity }) => {
    await checkVersion(people, person, ifMatch);
    const refused = await people.change(person.id, change);
    if (!refused) await activity.record({ verb: 'recipient.change', ...told(person, change) });
    return refused;
  });
  if (refusal) throw refused(refusal, person, change);
  return showPerson(deps, campaign.id, String(person.id));
}

/** A call in progress is not touched. */
export async function removePerson(
  deps: EditDeps,
  nameOrId: string,
  ref: string,
  ifMatch?: string,
): Promise<Person> {
  const { ledger } = deps;
  const campaign = await ledger.campaigns.get(nameOrId);
  checkList(campaign);
  const person = await findPerson(ledger, campaign, ref);
  const refusal = await ledger.together(async ({ people, activity }) => {
    await checkVersion(people, person, ifMatch);
    const refused = await people.remove(person.id);
    if (!refused) await activity.record({ verb: 'recipient.remove', ...told(person, {}), after: null });
    return refused;
  });
  if (refusal) throw refused(refusal, person, {});
  return showPerson(deps, campaign.id, String(person.id));
}

async function checkVersion(
  people: Pick<Ledger['people'], 'versionOf'>,
  { id, phone }: CallRow,
  ifMatch: string | undefined,
): Promise<void> {
  if (ifMatch === undefined) return;
  const version = await people.versionOf(id, true);
  if (version !== null && namesVersion(ifMatch, version)) return;
  throw new CarillonError('version-changed', `${phone} was changed since the version that If-Match names`);
}

/** The names of the fields; values only of fields that identify nobody. */
function told(person: CallRow, change: PersonChange) {
  const { id, campaignId, phone, state } = person;
  return {
    subject: String(id),
    campaign: campaignId,
    before: { phone, state },
    after: {
      fields: Object.keys(change),
      ...(change.phone === undefined ? {} : { phone: change.phone }),
      ...(change.agent === undefined ? {} : { agent: change.agent }),
    },
  };
}

function checkList({ kind, name, state }: Campaign): void {
  if (kind === 'calls') {
    throw new CarillonError(
      'campaign-state',
      `${name} gathers single calls, and each has an order of its own`,
      { remedy: 'Cancel the call, or order another one.' },
    );
  }
  if (state === 'canceled') {
    throw new CarillonError('campaign-state', `The campaign ${name} was canceled: nobody on it is called`);
  }
}

function readChange({ name, agent, variables }: Wanted): PersonChange {
  const fault = faultOf(variables ?? {});
  if (fault !== null) throw new CarillonError('request-invalid', `variables: ${fault}`);
  return {
    ...(name === undefined ? {} : { name }),
    ...(agent === undefined ? {} : { agent }),
    ...(variables === undefined ? {} : { variables: wellFormed(variables) }),
  };
}

/** The place follows from the phone, unless the row or the campaign says it. */
function placeOf(
  { ledger, clock }: EditDeps,
  campaign: Campaign,
  person: CallRow,
  { phone, timezone, country }: Wanted,
): Pick<PersonChange, 'phone' | 'place'> {
  if (phone === undefined && timezone === undefined) return {};
  const calendar = ledger.calendarOf(campaign.times);
  const options = {
    timezone: campaign.timezone ?? undefined,
    country: country ?? campaign.country ?? undefined,
  };
  const now = clock.now();
  const number = phone === undefined ? person.phone : readNumber(phone, options.country);
  const derived = createScreen(options, 'item').check(0, [person.phone], '');
  const isOwn = derived.refusal !== undefined || derived.place !== person.place;
  const { zones, states } = readPlace(person.place);
  const state = phone === undefined && states.length === 1 ? states[0] : '';
  const kept = isOwn && zones.length === 1 ? zones[0]! : '';
  const screened = createScreen({ ...options, calendar: () => calendar, now }, 'item').check(
    0,
    [number],
    timezone === undefined ? kept : (timezone ?? ''),
    state,
  );
  if (screened.refusal !== undefined) {
    throw new CarillonError('request-invalid', `${timezone ? 'timezone' : 'phone'}: ${screened.refusal}`);
  }
  return { place: screened.place, ...(phone === undefined ? {} : { phone: number }) };
}

function readNumber(phone: string, where: string | undefined): string {
  const reading = readPhone(phone, where);
  if (reading.ok) return reading.phone;
  throw new CarillonError('request-invalid', `phone: ${reading.reason}`, {
    remedy: 'Write the number with its "+" and country code, for example +14155550123.',
  });
}

function refused(refusal: PersonRefusal, { phone }: CallRow, change: PersonChange): CarillonError {
  const tell = (message: string, remedy: string) => new CarillonError('recipient-state', message, { remedy });
  switch (refusal) {
    case 'called':
      return tell(
        `The number of ${phone} cannot change: the person was called, or is being called`,
        'Remove this person, and add the other number to the list.',
      );
    case 'twice':
      return tell(`${change.phone} is on the list already`, 'Remove one of the two.');
    case 'suppressed':
      return new CarillonError('phone-suppressed', `${change.phone} is suppressed and must not be called`);
    case 'live':
      return tell(
        `${phone} is being called; the call is not touched`,
        'Remove the person when the call has ended, if another attempt would follow.',
      );
    case 'unknown':
      return tell(
        `It is unknown whether ${phone} was called`,
        'Resolve it first: `carillon unknown list` shows it.',
      );
    case 'over':
      return tell(`The service refused ${phone}, who is not called again`, 'There is nothing to remove.');
    case 'erased':
      return tell('This person was erased', 'There is nothing to change.');
    case 'gone':
      return new CarillonError('recipient-unknown', `The recipient ${phone} is gone`);
  }
}
