"""Writes src/rules/phone/area-states.ts: which states the area codes of the US and Canada belong to.

    python3 scripts/area-states.py

It reads the geocoding data of libphonenumber as Debian ships it (python3-phonenumbers, Apache License 2.0), and adds the
area codes that came into service after that version, from the public assignments of the North American Numbering Plan.
"""
import collections
import pathlib
import sys

sys.path.append('/usr/lib/python3/dist-packages')
from phonenumbers.geodata import GEOCODE_DATA  # noqa: E402

US = dict(AL='Alabama', AK='Alaska', AZ='Arizona', AR='Arkansas', CA='California', CO='Colorado', CT='Connecticut',
          DE='Delaware', DC='Washington D.C.', FL='Florida', GA='Georgia', HI='Hawaii', ID='Idaho', IL='Illinois',
          IN='Indiana', IA='Iowa', KS='Kansas', KY='Kentucky', LA='Louisiana', ME='Maine', MD='Maryland',
          MA='Massachusetts', MI='Michigan', MN='Minnesota', MS='Mississippi', MO='Missouri', MT='Montana',
          NE='Nebraska', NV='Nevada', NH='New Hampshire', NJ='New Jersey', NM='New Mexico', NY='New York',
          NC='North Carolina', ND='North Dakota', OH='Ohio', OK='Oklahoma', OR='Oregon', PA='Pennsylvania',
          RI='Rhode Island', SC='South Carolina', SD='South Dakota', TN='Tennessee', TX='Texas', UT='Utah',
          VT='Vermont', VA='Virginia', WA='Washington State', WV='West Virginia', WI='Wisconsin', WY='Wyoming')
CA = dict(AB='Alberta', BC='British Columbia', MB='Manitoba', NB='New Brunswick', NL='Newfoundland and Labrador',
          NS='Nova Scotia', NT='Northwest Territories', NU='Nunavut', ON='Ontario', PE='Prince Edward Island',
          QC='Quebec', SK='Saskatchewan', YT='Yukon')
STATES = {f'US-{code}': name for code, name in US.items()} | {f'CA-{code}': name for code, name in CA.items()}
BY_NAME = {name: state for state, name in STATES.items()} | {'Philadelphia': 'US-PA'}
BY_CODE = {state[3:]: state for state in STATES}

# Assignments of the numbering plan that this version of the data does not have, and the territories of the US.
ADDED = {
    'US-AR': '327', 'US-CA': '350 369 738', 'US-CO': '748 983', 'US-FL': '324 645 728', 'US-IL': '730', 'US-MD': '227',
    'US-MO': '235 557 975', 'US-NC': '472', 'US-NY': '329 363', 'US-PA': '835', 'US-SC': '821', 'US-VA': '686',
    'US-WI': '274 353', 'CA-BC': '257', 'CA-NB': '428', 'CA-NL': '879', 'CA-ON': '382 683 942', 'CA-QC': '354',
    'US-AS': '684', 'US-GU': '671', 'US-MP': '670', 'US-PR': '787 939', 'US-VI': '340',
}


def named(text):
    """The states that a place's name is about: `Texas`, `San Antonio, TX`, `Nova Scotia/Prince Edward Island`."""
    found = [BY_NAME.get(part) or BY_CODE.get(part.split(', ')[-1]) for part in text.split('/')]
    return {state for state in found if state}


def areas():
    whole, parts = {}, collections.defaultdict(collections.Counter)
    for prefix, names in GEOCODE_DATA.items():
        if not prefix.startswith('1') or len(prefix) < 4 or 'en' not in names:
            continue
        states = named(names['en'])
        if len(prefix) == 4:
            whole[prefix[1:]] = states
        parts[prefix[1:4]].update(states)
    for area, states in parts.items():
        # An area without a name of its own is where most of its places are.
        found = whole.get(area) or {states.most_common(1)[0][0]} if states else whole.get(area)
        if found:
            yield area, sorted(found)
    for state, codes in ADDED.items():
        for area in codes.split():
            if area not in parts or not whole.get(area):
                yield area, [state]


by_states = collections.defaultdict(set)
for area, states in areas():
    by_states['&'.join(states)].add(area)
lines = ['']
for states, found in sorted(by_states.items()):
    for word in [states, *sorted(found)]:
        if len(lines[-1]) + len(word) > 108:
            lines.append('')
        lines[-1] += f' {word}' if lines[-1] else word
text = '\n'.join(lines)
target = pathlib.Path(__file__).parent.parent / 'src/rules/phone/area-states.ts'
target.write_text(f'''/**
 * Which states (several are joined by "&") the area codes of the US and Canada belong to: states are followed by their
 * codes. Made by scripts/area-states.py, never by hand.
 *
 * The facts come from google/libphonenumber, resources/geocoding/en/1.txt, Copyright The Libphonenumber Authors, Apache
 * License 2.0 (https://www.apache.org/licenses/LICENSE-2.0), and the public assignments of the North American Numbering
 * Plan; reduced and rearranged here.
 */
export const areaStates = `
{text}
`;
''')
