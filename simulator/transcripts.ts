/** Made-up conversations: small grammars, so that results look real and differ from call to call. */
import { createStream, pick } from './random.ts';

export type Conversation = { transcript: string; data: Record<string, unknown> };

type Topic = {
  firm: string;
  reason: string;
  offer: string;
  asked: readonly (readonly [string, string])[];
};

const topics: readonly Topic[] = [
  {
    firm: 'Brookside Dental',
    reason: 'your check-up is due this month',
    offer: 'We have a chair free on {day} at {time}.',
    asked: [
      ['How long does it take?', 'About forty minutes, with the cleaning.'],
      ['Do I need to bring anything?', 'Only your insurance card, if it has changed.'],
      ['Is it the same dentist as last time?', 'Yes, unless you would rather see a colleague.'],
    ],
  },
  {
    firm: 'Harbor Heating',
    reason: 'your boiler has not been serviced for a year',
    offer: 'A technician could come by on {day} around {time}.',
    asked: [
      ['What does the service cost?', 'It is covered by the contract that you already have.'],
      ['Will the heating be off for long?', 'For half an hour at most.'],
      ['Can they look at the upstairs radiator too?', 'I will put that on the order.'],
    ],
  },
  {
    firm: 'Fernhill Library',
    reason: 'the book that you reserved has come in',
    offer: 'We can keep it for you until {day}, {time}.',
    asked: [
      ['Which one was it again?', 'The travel guide that you asked for in spring.'],
      ['Could my neighbor pick it up?', 'Of course, with your card.'],
      ['Are you open on Saturdays?', 'Yes, from ten until two.'],
    ],
  },
  {
    firm: 'Ridgeway Motors',
    reason: 'there is a free inspection for your model',
    offer: 'The workshop has room on {day} at {time}.',
    asked: [
      ['Is something wrong with the car?', 'No, it is a precaution, and it costs you nothing.'],
      ['Can I wait for it there?', 'You can, there is coffee and a desk.'],
      ['Would I get a loan car?', 'If you tell us a day ahead, yes.'],
    ],
  },
];

const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;
const times = ['9:30', '11:00', '14:15', '15:45', '17:00'] as const;
const listening = ['Sorry, could you say that again?', 'Mm-hm.', 'Let me find a pen.', 'One moment, please.'];
const patient = ['Of course, take your time.', 'No hurry at all.', 'Certainly.', 'I am still here.'];
const hello = ['Hello?', 'Yes, hello?', 'Who is this?', 'Speaking.'];
const agreed = ['That works for me.', 'Yes, put me down for it.', 'Good, let us do that.'];
const noMoreCalls = 'Please take me off the list.';
const declined = ['No, thank you, I am not interested.', noMoreCalls, 'Not at the moment.'];
const postponed = [
  'I am driving, call me later.',
  'It is a bad moment.',
  'I would have to look at my calendar.',
];

/** The conversation of an answered call, about as long as the call took. */
export function converse(seed: number, phone: string, nth: number, name: string | null, seconds: number) {
  const random = createStream(seed, phone, nth, 'talk');
  const topic = pick(random, topics);
  const slot = { day: pick(random, days), time: pick(random, times) };
  const lines = [
    `Agent: Hello${name ? `, am I speaking with ${name}` : ', is this a good moment'}?`,
    `Customer: ${pick(random, hello)}`,
    `Agent: This is the virtual assistant of ${topic.firm}. I am calling because ${topic.reason}.`,
  ];
  if (seconds < 12) {
    const words = pick(random, declined);
    lines.push(`Customer: ${words}`);
    return conclude(lines, { ...refusal(words), summary: 'The customer hung up early.' });
  }
  lines.push(`Agent: ${topic.offer.replace('{day}', slot.day).replace('{time}', slot.time)}`);
  // A question and its answer take about fourteen seconds; greeting and goodbye take twenty-five.
  const turns = Math.min(30, Math.max(0, Math.round((seconds - 25) / 14)));
  const questions = [...topic.asked];
  for (let turn = 0; turn < turns; turn++) {
    const question = questions.splice(Math.floor(random() * questions.length), 1)[0];
    lines.push(`Customer: ${question?.[0] ?? pick(random, listening)}`);
    lines.push(`Agent: ${question?.[1] ?? pick(random, patient)}`);
  }
  const mood = random();
  if (mood < 0.45) {
    lines.push(`Customer: ${pick(random, agreed)}`, `Agent: Noted for ${slot.day}, ${slot.time}. Goodbye!`);
    return conclude(lines, { interested: true, callback: null, appointment: `${slot.day} ${slot.time}` });
  }
  if (mood < 0.7) {
    lines.push(`Customer: ${pick(random, postponed)}`, `Agent: Then I will try again on ${slot.day}.`);
    return conclude(lines, { interested: true, callback: `${slot.day} ${slot.time}` });
  }
  const words = pick(random, declined);
  lines.push(`Customer: ${words}`, 'Agent: I understand. Thank you, and goodbye.');
  return conclude(lines, refusal(words));
}

/** `opt_out` is in every refusal, so that `--opt-out structured_data.opt_out=true` finds its path. */
function refusal(words: string): Record<string, unknown> {
  return { interested: false, callback: null, opt_out: words === noMoreCalls };
}

/** The message left on a voicemail. */
export function leaveMessage(seed: number, phone: string, nth: number, name: string | null): Conversation {
  const random = createStream(seed, phone, nth, 'talk');
  const topic = pick(random, topics);
  return conclude(
    [
      'Customer: You have reached the voicemail of this number. Please leave a message after the tone.',
      `Agent: Hello${name ? ` ${name}` : ''}, this is ${topic.firm}: ${topic.reason}. Please call us back.`,
    ],
    { voicemail_left: true },
  );
}

function conclude(lines: string[], data: Record<string, unknown>): Conversation {
  return { transcript: lines.join('\n'), data };
}
