/** The dashboard: asks the API for campaigns and keys every two seconds and draws the answer. */
const states = ['done', 'calling', 'queued', 'waiting', 'parked', 'unknown', 'skipped', 'rejected'];
const outcomes = ['answered', 'voicemail', 'no-answer', 'busy', 'failed', 'canceled'];
const everyMs = 2_000;
const pageSize = 20;
const tokenName = 'carillon-token';

const byId = (id) => document.getElementById(id);
const number = new Intl.NumberFormat();
/** A learned rate is not known more precisely. */
const rateNumber = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
let most = pageSize;
let timer;
let asking = false;

/** An element with its text and children; text is never read as HTML. */
function make(name, { text, className, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

class Refused extends Error {}

async function ask(path) {
  const token = sessionStorage.getItem(tokenName);
  const response = await fetch(path, {
    headers: token ? { authorization: `Bearer ${token}` } : {},
    cache: 'no-store',
    signal: AbortSignal.timeout(30_000),
  });
  if (response.status === 401) throw new Refused();
  const body = await response.json();
  if (!response.ok) throw new Error(body.detail ?? `The API returned status ${response.status}`);
  return body;
}

async function refresh() {
  clearTimeout(timer);
  if (asking) return;
  asking = true;
  const began = performance.now();
  try {
    const [campaigns, keys, unknown] = await Promise.all([
      ask(`/api/campaigns?limit=${most}`),
      ask('/api/keys'),
      ask('/api/unknown?limit=100'),
    ]);
    showCampaigns(campaigns);
    byId('keys').replaceChildren(...keys.items.map(keyRow));
    showUnknown(unknown.items);
    show('content');
    tell(`As of ${new Date().toLocaleTimeString()}`, false);
  } catch (error) {
    if (error instanceof Refused) return askToken();
    const why = error instanceof TypeError ? 'Carillon is not responding' : error.message;
    tell(`${why}. The data shown may be out of date.`, true);
  } finally {
    asking = false;
  }
  if (document.hidden) return;
  // Large campaigns cost the ledger work: at most a tenth of the time is spent on it.
  timer = setTimeout(refresh, Math.max(everyMs, (performance.now() - began) * 9));
}

function tell(text, trouble) {
  byId('news').textContent = text;
  byId('news').classList.toggle('trouble', trouble);
}

function show(id) {
  byId('login').hidden = id !== 'login';
  byId('content').hidden = id !== 'content';
}

function showCampaigns({ items, next }) {
  byId('campaigns').replaceChildren(...items.map(campaignCard));
  byId('empty').hidden = items.length > 0;
  byId('example').textContent = example();
  byId('more').hidden = next === null;
}

function example() {
  const token = sessionStorage.getItem(tokenName) ? `  -H "Authorization: Bearer $API_TOKEN" \\\n` : '';
  return `curl -X POST ${location.origin}/api/campaigns \\\n${token}  -H 'Content-Type: application/json' \\
  -d '{"name": "first", "agent": "AGENT_ID", "recipients": [{"phone": "+1..."}], "start": true}'`;
}

function showUnknown(items) {
  const count = items.length === 100 ? '100 or more' : number.format(items.length);
  byId('unknown').hidden = items.length === 0;
  byId('unknown').textContent =
    `${count} ${items.length === 1 ? 'unknown attempt' : 'unknown attempts'}: could not confirm whether ` +
    `${items.length === 1 ? 'the call was placed. It' : 'the calls were placed. They'} will not be retried. ` +
    'Review with `carillon unknown list`.';
}

function campaignCard(campaign) {
  const { balance, name, state, reason, driver, kind, id } = campaign;
  const trouble = reason !== null && state === 'paused';
  const head = make(
    'div',
    { className: 'head' },
    make('h3', { text: name }),
    make('span', { text: state, className: trouble ? 'state trouble' : 'state' }),
    make('span', { className: 'quiet', text: `${count(balance.rows, kind === 'calls' ? 'call' : 'row')}` }),
    make('a', { text: 'Results', href: `/api/campaigns/${encodeURIComponent(id)}/results.csv` }),
  );
  const card = make('article', { className: 'campaign' }, head);
  const present = states.filter((each) => balance[each] > 0);
  if (present.length > 0) {
    const words = present.map((each) => `${number.format(balance[each])} ${each}`).join(', ');
    const bar = make('div', { className: 'bar', role: 'img', 'aria-label': words });
    for (const each of present) {
      const part = make('span', {
        className: `fill-${each}`,
        title: `${number.format(balance[each])} ${each}`,
      });
      part.style.flexGrow = balance[each];
      bar.append(part);
    }
    const counts = present.map((each) =>
      make(
        'li',
        {},
        make('span', { className: `swatch fill-${each}`, 'aria-hidden': 'true' }),
        `${number.format(balance[each])} ${each}`,
      ),
    );
    card.append(bar, make('ul', { className: 'counts' }, ...counts));
  }
  const ended = outcomes.filter((each) => balance.outcomes[each] > 0);
  if (ended.length > 0) {
    const words = ended.map((each) => `${each} ${number.format(balance.outcomes[each])}`).join(', ');
    card.append(make('p', { text: `Outcomes: ${words}` }));
  }
  if (reason) card.append(make('p', { text: reason, className: trouble ? '' : 'quiet' }));
  if (state === 'running' && driver === 'run') {
    card.append(make('p', { text: 'Driven by an active run.', className: 'quiet' }));
  }
  return card;
}

function keyRow(key) {
  const words = {
    open: 'open',
    failing: 'service failing',
    out_of_credit: 'no credit',
    denied: 'not accepted',
  };
  const state = make('td', { text: words[key.state] ?? key.state });
  if (!key.present) state.append(make('div', { className: 'quiet', text: 'no longer in VOICE_API_KEYS' }));
  if (key.reason) state.append(make('div', { className: 'quiet', text: key.reason }));
  if (key.probe_at) {
    const at = new Date(key.probe_at).toLocaleTimeString();
    state.append(make('div', { className: 'quiet', text: `next probe ${at}` }));
  }
  const rate =
    key.rate === null
      ? ''
      : `${rateNumber.format(key.rate)}${key.rate_from === 'fixed' ? '' : ` ${key.rate_from}`}`;
  const cell = (text) => make('td', { className: 'number', text });
  return make(
    'tr',
    {},
    make('th', { scope: 'row', text: key.name }),
    state,
    cell(rate),
    cell(number.format(key.calling)),
    cell(number.format(key.planned)),
    cell(number.format(key.parked)),
  );
}

function count(n, word) {
  return `${number.format(n)} ${n === 1 ? word : `${word}s`}`;
}

function askToken() {
  const wrong = sessionStorage.getItem(tokenName) !== null;
  sessionStorage.removeItem(tokenName);
  byId('refusal').textContent = wrong ? 'The token is not valid.' : '';
  tell('Enter an API token', false);
  show('login');
  byId('token').focus();
}

byId('login').addEventListener('submit', async (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  byId('token').value = '';
  sessionStorage.setItem(tokenName, token);
  // The session is for pages that a browser opens without a header: the queues and result files.
  await fetch('/login', { method: 'POST', body: new URLSearchParams({ token }), redirect: 'manual' }).catch(
    () => {},
  );
  refresh();
});

byId('more').addEventListener('click', () => {
  most = Math.min(1_000, most + pageSize);
  refresh();
});

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refresh();
});

refresh();
