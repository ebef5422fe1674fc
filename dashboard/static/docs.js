/** The page to try the API: every operation of the description, with a form that sends it and shows the answer. */
const tokenName = 'carillon-token';
const shownBytes = 100_000;
const byId = (id) => document.getElementById(id);

/** An element with its text and children; text is never read as HTML. */
function make(name, { text, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(description) {
  for (const { name, description: about } of description.tags) {
    const section = make('section', {}, make('h2', { text: name }), make('p', { text: about }));
    for (const [path, item] of Object.entries(description.paths)) {
      for (const [method, operation] of Object.entries(item)) {
        if (operation.tags[0] === name) section.append(drawOperation(method, path, operation));
      }
    }
    byId('operations').append(section);
  }
}

/** The inside is made when it is opened: there are many. */
function drawOperation(method, path, operation) {
  const title = make(
    'summary',
    {},
    make('span', { text: method.toUpperCase(), class: 'method' }),
    make('code', { text: path }),
    ` ${operation.summary}`,
  );
  const details = make('details', { id: operation.operationId }, title);
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) details.append(drawForm(method, path, operation));
  });
  return details;
}

function drawForm(method, path, operation) {
  const parameters = operation.parameters ?? [];
  const fields = parameters.map((each) => {
    const id = `${operation.operationId}-${each.name}`;
    const input = make('input', { id, placeholder: String(each.schema.default ?? '') });
    const label = make('label', { for: id, text: `${each.name}${each.required ? ' *' : ''}` });
    const about = make('small', { text: [each.in, each.description].filter(Boolean).join(': ') });
    return { ...each, input, row: make('div', { class: 'parameter' }, label, input, about) };
  });
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const body = type && make('textarea', { 'aria-label': 'Body', spellcheck: 'false' });
  if (body) body.value = textOf(content.example);
  const answer = make('pre', { hidden: '' });
  const send = make('button', { text: 'Send', type: 'submit' });
  const role = operation['x-role'] ? `Needs the role ${operation['x-role']}. ` : 'Needs no token. ';
  const form = make(
    'form',
    {},
    make('p', { text: role + (operation.description ?? '') }),
    ...fields.map(({ row }) => row),
    ...(body ? [make('p', { text: type }), body] : []),
    make('p', {}, send),
    answer,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    answer.hidden = false;
    answer.textContent = 'Sent.';
    try {
      answer.textContent = await ask(method.toUpperCase(), path, fields, body && { type, text: body.value });
    } catch (error) {
      answer.textContent = error.message;
    } finally {
      send.disabled = false;
    }
  });
  return form;
}

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

async function ask(method, path, fields, body) {
  let address = path;
  const query = new URLSearchParams();
  const headers = {};
  for (const { name, in: place, input } of fields) {
    if (place === 'path') address = address.replace(`{${name}}`, encodeURIComponent(input.value));
    else if (input.value !== '' && place === 'query') query.append(name, input.value);
    else if (input.value !== '') headers[name] = input.value;
  }
  const token = byId('token').value;
  if (token) headers.authorization = `Bearer ${token}`;
  if (body) headers['content-type'] = body.type;
  const url = query.size > 0 ? `${address}?${query}` : address;
  const response = await fetch(url, { method, headers, body: body?.text, cache: 'no-store' });
  const said = `${response.status} ${response.headers.get('content-type') ?? ''}`;
  return [`${method} ${url}`, said, '', await readSome(response)].join('\n');
}

/** The beginning of an answer; one that stays open is shown as far as it came within five seconds. */
async function readSome(response) {
  if (!response.body) return '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const late = setTimeout(() => reader.cancel().catch(() => undefined), 5_000);
  let text = '';
  while (text.length < shownBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  clearTimeout(late);
  await reader.cancel().catch(() => undefined);
  try {
    return textOf(JSON.parse(text));
  } catch {
    return text;
  }
}

function find() {
  const wanted = byId('find').value.trim().toLowerCase();
  for (const each of document.querySelectorAll('#operations > section > details'))
    each.hidden = !`${each.id} ${each.firstChild.textContent}`.toLowerCase().includes(wanted);
}

async function open() {
  byId('token').value = sessionStorage.getItem(tokenName) ?? '';
  byId('token').addEventListener('change', () => sessionStorage.setItem(tokenName, byId('token').value));
  byId('find').addEventListener('input', find);
  try {
    const response = await fetch('/api/openapi.json');
    const description = await response.json();
    draw(description);
    byId('news').textContent = `Version ${description.info.version}`;
    document.getElementById(location.hash.slice(1))?.setAttribute('open', '');
  } catch (error) {
    byId('news').textContent = `The description cannot be read: ${error.message}`;
  }
}

open();
