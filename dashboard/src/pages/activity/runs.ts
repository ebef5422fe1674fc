import type { Activity } from '../../api/description.ts';
import { whoText } from '../../kit/words.ts';
import { sentenceOf } from './sentences.ts';

/** What one person did again and again, with less than two minutes between: one line names the campaigns, or says how often. */
export function runsOf(rows: readonly Activity[]): Activity[][] {
  const runs: Activity[][] = [];
  let added: Activity | undefined;
  for (const [nth, row] of rows.entries()) {
    // People who came with a new campaign are told in its own line.
    if (isOfNew(row, rows[nth + 1])) {
      added = row;
      continue;
    }
    const entry = added ? { ...row, after: { ...row.after, new: added.after?.new } } : row;
    added = undefined;
    const last = runs.at(-1)?.at(-1);
    const isLike =
      last &&
      (isTimes(entry) || (last.campaign && !isPause(entry) && byCampaign.test(sentenceOf(entry)))) &&
      likeOf(last) === likeOf(entry) &&
      Date.parse(last.at) - Date.parse(entry.at) < 120_000;
    if (isLike) runs.at(-1)!.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

/** Each pause by Carillon has a reason of its own. */
const isPause = ({ verb, who }: Activity) => verb === 'campaign.pause' && who === 'carillon';
const byCampaign = /^(?:made|started|renamed|paused|resumed|stopped everything)/;

/** Judged one by one, each says the same. */
export const isTimes = (entry: Activity) => /^(?:settled an|listened)/.test(sentenceOf(entry));

const isOfNew = (row: Activity, made: Activity | undefined) =>
  row.verb === 'recipients.add' &&
  made?.verb === 'campaign.create' &&
  made.campaign_id === row.campaign_id &&
  !row.after?.rejected &&
  Date.parse(row.at) - Date.parse(made.at) < 5_000;

function likeOf(entry: Activity): string {
  // Settled one by one, they are told with what came of them.
  const sentence = sentenceOf(entry).replace(/(?<=^settled an unknown call):.*/, '');
  const [begin, end = ''] = sentence.split('{campaign}');
  return (
    whoText(entry) +
    begin +
    (entry.after?.reason ?? '') +
    (isTimes(entry) ? (end && entry.campaign) + end : '')
  );
}

/** What lasts until it is over: a trouble by its code and subject, a pause by its campaign. */
export const causeOf = ({ verb, subject, campaign_id: campaign, after }: Activity) =>
  verb.startsWith('alert.') ? `${after?.code} ${subject ?? ''}` : String(campaign);

/** The troubles and pauses among them that are over, with what ended each, and what is told: an end that is no act of a person stands where it began. */
export function pairsOf(rows: readonly Activity[]) {
  const ends = new Map<string, Activity>();
  const over = new Map<string, Activity>();
  for (const row of rows) {
    const end = ends.get(causeOf(row));
    if (/^(?:alert\.clear|campaign\.(?:start|cancel|delete))$/.test(row.verb)) ends.set(causeOf(row), row);
    else if (end && (row.verb === 'alert.raise' || isPause(row))) {
      over.set(row.id, end);
      ends.delete(causeOf(row));
    }
  }
  const ended = new Set(over.values());
  return { over, told: rows.filter((row) => row.verb !== 'alert.clear' || !ended.has(row)) };
}
