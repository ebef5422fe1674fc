import { maskPhone } from '../../base/log.ts';
import type { AlertNotice } from '../../ledger/alert-addresses/alert-addresses.ts';

/** What a message about alerts says: one text for mail, the same in the shape that Slack takes. */
export type AlertMessage = { subject: string; text: string; slack: { text: string; blocks: object[] } };

type Entry = { title: string; lines: string[] };

/** Slack takes 50 blocks, and nobody reads more. */
const mostEntries = 20;
/** Slack takes 3,000 characters a block; what a service said may be longer. */
const longest = 600;

export function messageOf(notices: readonly AlertNotice[], pageUrl: string | undefined): AlertMessage {
  const entries = notices.slice(0, mostEntries).map(entryOf);
  const more = notices.length - entries.length;
  if (more > 0) entries.push({ title: `${more} more`, lines: ['See them with `carillon alerts`.'] });
  return write(subjectOf(notices), entries, pageUrl);
}

export function testMessage(pageUrl: string | undefined): AlertMessage {
  const lines = ['Alerts will reach you here. Nothing is wrong.'];
  return write('Carillon: a test', [{ title: 'A test', lines }], pageUrl);
}

/** The alert as it leaves: a caller number is ours, any other phone is a person's. */
export function shownAlert({ alert }: Pick<AlertNotice, 'alert'>): AlertNotice['alert'] {
  if (alert.code === 'number-resting') return alert;
  return { ...alert, message: maskPhone(alert.message), subject: maskPhone(alert.subject) };
}

function subjectOf(notices: readonly AlertNotice[]): string {
  const [first] = notices;
  if (notices.length === 1) return `Carillon: ${titleOf(first!)}`;
  const raised = notices.filter(({ type }) => type === 'alert.raised').length;
  const over = notices.length - raised;
  const counts = [raised > 0 && `${raised} raised`, over > 0 && `${over} over`].filter(Boolean).join(', ');
  return `Carillon: ${notices.length} alerts (${counts})`;
}

const titleOf = ({ type, alert }: AlertNotice) =>
  `${type === 'alert.raised' ? alert.severity : 'over'}: ${alert.title}`;

function entryOf(notice: AlertNotice): Entry {
  const { message, remedy, since } = shownAlert(notice);
  const said = message.length > longest ? `${message.slice(0, longest)}...` : message;
  const title = titleOf(notice);
  const often = notice.times > 1 ? [`It came and went: this is the latest of ${notice.times} changes.`] : [];
  if (notice.type === 'alert.cleared')
    return { title, lines: [`It was: ${said}`, `It is over since ${timeOf(notice.at)}.`, ...often] };
  return { title, lines: [said, `What to do: ${remedy}`, `Since ${timeOf(new Date(since))}.`, ...often] };
}

const timeOf = (at: Date) => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

function write(subject: string, entries: readonly Entry[], pageUrl: string | undefined): AlertMessage {
  const text = entries.map(({ title, lines }) => [title, ...lines].join('\n')).join('\n\n');
  const blocks: object[] = entries.map(({ title, lines }) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: [`*${escaped(title)}*`, ...lines.map(escaped)].join('\n') },
  }));
  if (pageUrl !== undefined)
    blocks.push({ type: 'context', elements: [{ type: 'mrkdwn', text: `<${pageUrl}/|Open Carillon>` }] });
  return {
    subject,
    text: pageUrl === undefined ? `${text}\n` : `${text}\n\n${pageUrl}/\n`,
    slack: { text: escaped(subject), blocks },
  };
}

/** The three characters that are commands to Slack. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
