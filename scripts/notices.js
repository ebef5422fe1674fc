// What the files of a build hold of others: written beside them, and read again for the bill of materials.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';

const file = 'LICENSES.txt';

/** The notices of all packages of these modules, as their licences require. */
export function writeNotices(folder, modules) {
  const packages = new Map();
  for (const path of modules) {
    const place = packageOf(path);
    if (place && !packages.has(place)) packages.set(place, noticeOf(place));
  }
  const notices = [...new Set(packages.values())].sort();
  writeFileSync(join(folder, file), `The files in this folder hold these packages.\n\n${notices.join('\n')}`);
}

/** The packages whose notices stand in a folder, as `name@version`. */
export function readNotices(folder) {
  const path = join(folder, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return [...text.matchAll(/^== (\S+) (\S+) \(/gm)].map(([, name, version]) => `${name}@${version}`);
}

function packageOf(path) {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.split(sep).join('/')) ?? [];
  return folder;
}

function noticeOf(folder) {
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { name, version, license } = description;
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file) && !/\.[cm]?[jt]s$/.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (texts.length === 0) texts.push(...namesIn(description, folder));
  return [`== ${name} ${version} (${license})`, ...texts, ''].join('\n\n');
}

/** Some packages name their authors in the description, and have their licence in the readme. */
function namesIn({ author, contributors = [] }, folder) {
  const names = [author, ...contributors].map((one) => one?.name ?? one).filter(Boolean);
  const readme = readdirSync(folder).find((file) => /^readme/i.test(file));
  const text = readme ? readFileSync(join(folder, readme), 'utf8') : '';
  const [licence] = /^#+ *(?:the )?(?:\w+ )?licen[cs]e\b.*$/ims.exec(text) ?? [];
  return [names.length > 0 ? `By ${names.join(', ')}.` : '', licence ?? ''].filter((part) => part !== '');
}
