import type { Activity } from '../../api/description.ts';
import { sentenceOf, whoText } from './sentences.ts';

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
      (isTimes(entry) || (last.campaign && entry.who !== 'carillon' && byCampaign.test(sentenceOf(entry)))) &&
      likeOf(last) === likeOf(entry) &&
      Date.parse(last.at) - Date.parse(entry.at) < 120_000;
    if (isLike) runs.at(-1)!.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

const byCampaign = /^(?:made|started|renamed|paused|resumed)/;

/** Judged one by one, each says the same. */
export const isTimes = (entry: Activity) => /^(?:settled an|listened)/.test(sentenceOf(entry));

const isOfNew = (row: Activity, made: Activity | undefined) =>
  row.verb === 'recipients.add' &&
  made?.verb === 'campaign.create' &&
  made.campaign_id === row.campaign_id &&
  !row.after?.rejected &&
  Date.parse(row.at) - Date.parse(made.at) < 5_000;

function likeOf(entry: Activity): string {
  const [begin, end = ''] = sentenceOf(entry).split('{campaign}');
  return (
    whoText(entry) +
    begin +
    (entry.after?.reason ?? '') +
    (isTimes(entry) ? (end && entry.campaign) + end : '')
  );
}

/** The troubles and pauses among them that are over, each with the time of its end: an entry is older than those before it. */
export function overOf(rows: readonly Activity[]): ReadonlyMap<string, string> {
  const ends = new Map<string, string>();
  const over = new Map<string, string>();
  for (const { id, at, who, verb, subject, campaign_id: campaign, after } of rows) {
    const trouble = verb.startsWith('alert.') ? `${after?.code} ${subject}` : String(campaign);
    const end = ends.get(trouble);
    if (/^(?:alert\.clear|campaign\.(?:start|cancel|delete))$/.test(verb)) ends.set(trouble, at);
    else if (end && (verb === 'alert.raise' || (verb === 'campaign.pause' && who === 'carillon'))) {
      over.set(id, end);
      ends.delete(trouble);
    }
  }
  return over;
}
