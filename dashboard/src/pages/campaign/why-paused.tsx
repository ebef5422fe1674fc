import type { ReactNode } from 'react';
import type { Campaign } from '../../api/description.ts';
import { stateText } from '../../kit/badge.tsx';
import { Notice } from '../../kit/notice.tsx';
import { byStop } from '../../shell/needs.ts';
import { PageLink } from '../../shell/page-link.tsx';

/** Why nobody is called now, and what to do: it stands above the parts, where one looks first. */
export function WhyPaused({ campaign }: { campaign: Campaign }) {
  const words = wordsOf(campaign);
  if (!words) return null;
  return <Notice title={words[0]}>{words[1]}</Notice>;
}

function wordsOf(campaign: Campaign): [what: ReactNode, then: ReactNode] | null {
  const { state, driver, run_active: driven } = campaign;
  if (state === 'paused') return pausedWords(campaign);
  if (state === 'draft') {
    return [
      'This is a draft: nobody is called until it is started.',
      campaign.balance.rows === 0
        ? 'Add people under People, look at the settings, then start it.'
        : 'Look at the settings and at the people, then start it.',
    ];
  }
  if (state === 'running' && driver === 'run' && !driven) {
    return [
      'The run that dialled it has ended: nobody is called.',
      'Start it here, and the workers dial it; or run the same command again.',
    ];
  }
  return null;
}

function pausedWords({ id, reason, first_outcomes: first }: Campaign): [what: ReactNode, then: ReactNode] {
  if (reason === 'first') {
    const calls = Object.entries(first).map(([outcome, n]) => `${n} ${stateText(outcome)}`);
    return [
      'Paused after the first people, as its settings say.',
      <>
        <PageLink to={`/listen?campaign=${id}`} className="link">
          Listen back
        </PageLink>
        {calls.length > 0 && ` to their calls (${calls.join(', ')})`}, then resume to call everyone, or change
        the settings first.
      </>,
    ];
  }
  if (reason?.startsWith('stop-at:')) {
    return [
      `Paused by itself: ${reason.slice('stop-at:'.length).trim()}.`,
      'Look at the failed calls under People, fix what made them fail, then resume.',
    ];
  }
  if (reason === byStop) {
    return [
      'It was stopped with everything else.',
      'Resume it here, or all of them from the overview. Activity says who stopped it, and when.',
    ];
  }
  if (reason === null || reason === 'paused by hand') {
    return ['A person paused it.', 'Resume it to continue. Activity says who paused it, and when.'];
  }
  return [
    `Paused: ${reason}`,
    'If the service refused its calls, its settings are wrong: change them under Settings, then resume.',
  ];
}
