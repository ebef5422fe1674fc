// Prints what CHANGELOG.md says of the version that a tag names, or says what is missing before it can be released:
//
//   node scripts/release-notes.js v0.1.0
import { readFileSync } from 'node:fs';

const [tag] = process.argv.slice(2);
const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

function giveUp(what) {
  process.stderr.write(`${what}\n`);
  process.exit(1);
}

if (!tag) giveUp('usage: node scripts/release-notes.js v0.1.0');
const { version } = JSON.parse(read('package.json'));
if (tag !== `v${version}`)
  giveUp(`The tag is ${tag}, but package.json has version ${version}. Make them equal.`);

const sections = read('CHANGELOG.md').split(/^## /m).slice(1);
const section = sections.find((text) => text.startsWith(`[${version}]`));
if (!section) giveUp(`CHANGELOG.md has no section [${version}]. Add one: ## [${version}] - YYYY-MM-DD`);
const [heading, ...lines] = section.split('\n');
if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading))
  giveUp(`The section ${heading} of CHANGELOG.md has no date. Write it: ## [${version}] - YYYY-MM-DD`);
process.stdout.write(`${lines.join('\n').trim()}\n`);
