import { type TestRedis, tell } from '../support/redis.ts';
import { setClock } from './clocks.ts';
import type { Crew, Member } from './crew.ts';
import type { Diary } from './diary.ts';
import type { Fault } from './faults.ts';
import { again, isLosing, loseHistory } from './lost.ts';
import { phoneOf } from './people.ts';
import { resolveSome } from './person.ts';
import { ask } from './postgres.ts';
import type { Plan } from './schedule.ts';
import type { Ground } from './stage.ts';
import { playTwins } from './twins.ts';
import { makeZombie } from './zombie.ts';

/** Carries out one fault of the schedule to its end and records it in the diary. */
export type Field = {
  ground: Ground;
  plan: Plan;
  crew: Crew;
  diary: Diary;
  campaign: string;
  /** All campaigns of the round. */
  campaigns: readonly string[];
  /** Ends every wait, once the faults are over. */
  over: AbortSignal;
};

const ofPeople = new Set<Fault['kind']>(['pause', 'cancel', 'suppress', 'person', 'zombie']);

export async function strike(fault: Fault, field: Field): Promise<void> {
  const { ground, plan, crew, diary, campaign } = field;
  const { service, redis, cluster, wires } = ground;
  // Words that people say meanwhile would be forgotten with the rest, and nobody could say what counts.
  while (ofPeople.has(fault.kind) && isLosing(diary)) await pause(100);
  diary.count(nameOf(fault));
  const lasts = async (ms: number, undo: () => Promise<unknown> | unknown) => {
    await pause(ms, field.over);
    await undo();
  };
  switch (fault.kind) {
    case 'kill':
      return kill(fault, field);
    case 'stop': {
      const member = choose(crew, fault.who);
      member?.stop();
      return lasts(fault.forMs, () => member?.go());
    }
    case 'zombie':
      return makeZombie(fault.who, field);
    case 'redis-kill': {
      const end = diary.begin('queue', `killed, back with ${fault.from}`);
      await redis!.kill();
      return lasts(fault.downMs, async () => {
        await redis!.restart(fault.from);
        end();
        diary.comebacks.push({ what: 'queue', at: Date.now() });
      });
    }
    case 'redis-snapshot':
      return void (await redis!.snapshot().catch(() => undefined));
    case 'redis-flush':
      for (const { port } of cluster?.nodes ?? [redis!]) await tell(port, 'FLUSHALL').catch(() => undefined);
      diary.comebacks.push({ what: 'queue', at: Date.now() });
      return;
    case 'master-kill': {
      const masters = await mastersOf(cluster!.nodes);
      const victim = masters[Math.floor(fault.who * masters.length)];
      if (!victim) return;
      const end = diary.begin('queue', 'a master killed');
      await victim.kill();
      return lasts(fault.downMs, async () => {
        await victim.restart();
        end();
        diary.comebacks.push({ what: 'queue', at: Date.now() });
      });
    }
    case 'ledger-kill': {
      const end = diary.begin('ledger', 'killed');
      await ground.postgres.kill();
      return lasts(fault.downMs, async () => {
        await ground.postgres.start();
        end();
        diary.comebacks.push({ what: 'ledger', at: Date.now() });
      });
    }
    case 'wire': {
      const wire = wires[fault.wire];
      if (!wire) return;
      const end = diary.begin(fault.wire, fault.how);
      if (fault.how === 'cut') await wire.cut();
      else if (fault.how === 'slow') wire.slow(250);
      else wire[fault.how]();
      return lasts(fault.how === 'reset' ? 0 : fault.forMs, async () => {
        if (fault.how === 'deafen') wire.reset();
        wire.thaw();
        await wire.restore();
        end();
      });
    }
    case 'hush': {
      const end = diary.begin('ledger', 'hush');
      wires.ledger.hush();
      return lasts(fault.forMs, end);
    }
    case 'answers':
      // Replaces the rules of an earlier fault that has not ended.
      await service.control({ faults: fault.rules });
      return lasts(fault.forMs, () => service.control({ faults: [] }));
    case 'limit':
      await service.control({ rate: Math.max(1, plan.rate * fault.share) });
      return lasts(fault.forMs, () => service.control({ rate: plan.rate }));
    case 'concurrency':
      await service.control({ concurrency: fault.most });
      return lasts(fault.forMs, () => service.control({ concurrency: null }));
    case 'credits':
      await service.control({ credits: fault.left });
      return lasts(fault.forMs, () => service.control({ credits: null }));
    case 'revoke':
      await service.control({ revokeKeys: [fault.key] });
      return lasts(fault.forMs, async () => {
        await service.control({ restoreKeys: [fault.key] });
        await crew.call(['keys', 'resume', `key${fault.key}`]);
      });
    case 'pause': {
      const paused = await crew.call(['campaign', 'pause', campaign]);
      // A run that is started again resumes a paused campaign, so a pause does not forbid its calls.
      const holds = paused.code === 0 && plan.mode === 'background';
      const ban = holds ? diary.ban('paused', Date.now()) : null;
      return lasts(fault.forMs, async () => {
        if (ban) ban.to = Date.now();
        await crew.call(['campaign', 'resume', campaign]);
      });
    }
    case 'cancel': {
      const canceled = await crew.call(['campaign', 'cancel', campaign, '--yes']);
      if (canceled.code === 0 || (await isCanceled(field))) diary.ban('canceled', Date.now());
      return;
    }
    case 'suppress': {
      const first = Math.floor(fault.from * plan.people);
      const many = Math.max(1, Math.ceil(fault.share * plan.people));
      const phones = Array.from({ length: many }, (_, i) => phoneOf((first + i) % plan.people));
      await crew.call(['suppress', 'add', ...phones]);
      return;
    }
    case 'person':
      return resolveSome(fault.most, field);
    case 'clock': {
      const member = choose(crew, fault.who);
      if (!member) return;
      const usual = plan.extras.clocks[crew.members().indexOf(member)] ?? 0;
      setClock(ground.folder, member.name, usual + fault.offSeconds);
      return lasts(fault.forMs, () => setClock(ground.folder, member.name, usual));
    }
    case 'disk-full':
      return fillDisk(fault, field);
    case 'twins':
      return playTwins(field);
    case 'lost':
      return loseHistory(fault, field);
    case 'rerun': {
      if (fault.how === 'interrupt') return void crew.members()[0]?.interrupt();
      const second = crew.hire('second', runArgs(crew), { isDone: () => true });
      second.retire();
      return;
    }
  }
}

async function mastersOf(nodes: readonly TestRedis[]): Promise<TestRedis[]> {
  const roles = await Promise.all(nodes.map(({ port }) => tell(port, 'ROLE').catch(() => '')));
  return nodes.filter((_, at) => roles[at]!.includes('master'));
}

/** The ledger may have been killed between the command's commit and its answer. */
async function isCanceled({ ground, campaign }: Field): Promise<boolean> {
  const asked = "select from carillon.campaigns where state = 'canceled' and name = $1";
  return (await again(() => ask(ground.ledgerUrl, asked, [campaign]))).length > 0;
}

async function fillDisk(fault: Fault & { kind: 'disk-full' }, { ground, diary, over }: Field): Promise<void> {
  const { disk, wires, service } = ground;
  if (!disk) {
    diary.note('the disk was not filled: no small one can be mounted here');
    return;
  }
  if (fault.away) {
    // Answers are held back, so that some come when their call ids find no place.
    await service.control({ latencyMs: 600 });
    await pause(300, over);
  }
  disk.fill();
  if (fault.away) {
    const end = diary.begin('ledger', 'cut while the disk is full');
    await wires.ledger.cut();
    await pause(fault.forMs / 2, over);
    await service.control({ latencyMs: [5, 25] });
    await wires.ledger.restore();
    end();
  }
  await pause(fault.away ? fault.forMs / 2 : fault.forMs, over);
  disk.free();
}

async function kill(fault: Fault & { kind: 'kill' }, field: Field): Promise<void> {
  const { ground, crew, diary } = field;
  const chosen = choose(crew, fault.who);
  const victims = fault.all ? crew.members().filter((member) => member.life()) : chosen ? [chosen] : [];
  if (fault.moment === 'mid-create') {
    // Answers are held back, so that creates are between arrival and answer.
    await ground.service.control({ latencyMs: 600 });
    await pause(200, field.over);
  }
  let deaf: (() => void) | null = null;
  if (fault.moment === 'unwritten') {
    // Answers from now on cannot be recorded.
    deaf = diary.begin('ledger', 'frozen while answers arrive');
    ground.wires.ledger.freeze();
    await pause(150, field.over);
  }
  await Promise.all(victims.map((victim) => victim.kill()));
  if (fault.moment === 'mid-create') await ground.service.control({ latencyMs: [5, 25] });
  if (deaf) {
    ground.wires.ledger.thaw();
    deaf();
  }
  if (victims.length > 0) diary.comebacks.push({ what: fault.all ? 'crew' : 'worker', at: Date.now() });
}

export function choose(crew: Crew, who: number): Member | undefined {
  const living = crew.members().filter((member) => member.life());
  return living[Math.floor(who * living.length)];
}

function runArgs(crew: Crew): readonly string[] {
  return crew.members()[0]?.args ?? [];
}

function nameOf(fault: Fault): string {
  switch (fault.kind) {
    case 'kill':
      return `kill ${fault.all ? 'all ' : ''}${fault.moment}`;
    case 'wire':
      return `${fault.wire} ${fault.how}`;
    case 'answers':
      return `answers ${fault.rules.map((rule) => `${rule.kind}${rule.when ? ` ${rule.when}` : ''}`).join('+')}`;
    case 'redis-kill':
      return `redis killed, back with ${fault.from}`;
    case 'master-kill':
      return 'a master of the cluster killed';
    case 'rerun':
      return `run ${fault.how}`;
    case 'disk-full':
      return `disk full${fault.away ? ', ledger cut' : ''}`;
    case 'lost':
      return `history lost${fault.all ? ' with all processes' : ''}${fault.since ? ', confirmed with --lost-since' : ''}`;
    case 'clock':
      return `clock set by ${fault.offSeconds} s`;
    default:
      return fault.kind;
  }
}

export function pause(ms: number, over?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || over?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      over?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    over?.addEventListener('abort', done, { once: true });
  });
}
