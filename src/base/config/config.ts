import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseDotenv } from 'dotenv';
import { z } from 'zod';
import { CarillonError } from '../errors.ts';
import { type AlertMail, parseAlertMail } from './alert-mail.ts';
import { parseHome } from './home.ts';
import {
  type ApiKey,
  isOn,
  type MaxCalls,
  oneOf,
  parseAccounts,
  parseHookSecret,
  parseKeys,
  parseMaxCalls,
  parseRates,
  parseSecret,
  parseToken,
  type Rate,
  readKeyFile,
  wrong,
} from './keys.ts';
import { type MaxCost, parseMaxCost } from './max-cost.ts';
import { parseNetworks, parseOrigins, parsePublicUrl } from './networks.ts';
import { type OidcConfig, parseOidc } from './oidc.ts';
import { chooseRoute, type ServiceRoute } from './proxy.ts';
import { parseS3, type S3Settings } from './s3.ts';
import { readServiceUrl, type ServiceDefaults } from './service-url.ts';
import { type SettingSeen, seeSetting } from './settings.ts';
import { parseTraceShare } from './trace-share.ts';

/** The one reader of the environment: everything is checked here once, frozen, and handed down. */
export type Config = Readonly<{
  voice: Readonly<{
    baseUrl: string | undefined;
    /** Whether requests to the service go through a proxy. */
    route: ServiceRoute;
    /** The keys as they were when the settings were read: see key-ring.ts. */
    keys: readonly ApiKey[];
    /** The keys from VOICE_API_KEYS only. */
    ownKeys: readonly ApiKey[];
    /** A file with more keys, which may come, go and change while the process runs. */
    keyFile: string | undefined;
    /** The service that is driven; undefined is the standard interface, or what the profile extends. */
    service: string | undefined;
    /** How the key is sent; undefined is the service's own way. */
    auth: 'bearer' | 'x-api-key' | undefined;
    rate: Rate;
    rates: Readonly<Record<string, Rate>>;
    /** The names of keys that share one limit, by account. */
    accounts: readonly (readonly string[])[];
    burst: number;
    /** Calls at once of a key; undefined where nobody says. */
    maxCalls: MaxCalls | undefined;
    maxCallsOf: Readonly<Record<string, MaxCalls>>;
    maxCost: MaxCost | undefined;
    timeoutMs: number;
    /** How long after it answers a create the service may still dial. */
    queueMs: number;
    /** A call that has not ended after this long is left to a person instead of being polled for ever. */
    callDeadlineMs: number;
    /** How often a call is polled, from its start; null learns when to poll. */
    pollSeconds: number | null;
    profilePath: string | undefined;
  }>;
  /** A file of contact rules for every campaign; undefined follows the ledger. */
  policyPath: string | undefined;
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  home: string;
  host: string;
  port: number;
  apiToken: string | undefined;
  apiReadToken: string | undefined;
  /** Requests a second that each token may send to this process. */
  apiRate: number;
  /** The provider by which people log in on the page; undefined takes tokens only. */
  oidc: OidcConfig | undefined;
  /** The origin at which people reach the page. */
  publicUrl: string | undefined;
  /** The proxies, besides this machine, whose word counts for where a request came from: addresses and networks. */
  trustedProxies: readonly string[];
  /** The origins of other pages that may call the API. */
  corsOrigins: readonly string[];
  /** A secret in the address to which other systems send hints of ended calls; undefined takes no hints. */
  hookSecret: string | undefined;
  /**
   * The secret with which the service signs its webhooks; if undefined, only the address and the API keys guard them.
   */
  hookKey: string | undefined;
  /** The secret that seals what the ledger must not show; undefined makes one in `home`. */
  secret: string | undefined;
  /** Lets webhooks go to loopback and private networks. */
  webhookAllowPrivate: boolean;
  /** Lets assistants act, in two steps. */
  mcpActs: boolean;
  /** The server that mails alerts; undefined where none are mailed. */
  alertMail: AlertMail | undefined;
  /** Asked each minute while dialling works. */
  heartbeatUrl: string | undefined;
  /** Lets lists be read from loopback and private networks. */
  listAllowPrivate: boolean;
  s3: S3Settings;
  /** How long events are kept for those who follow them. */
  eventDays: number;
  /** How long data about people is kept; undefined is for ever. */
  keepDays: number | undefined;
  logLevel: string;
  /** The share of attempts whose spans are sampled, where the sampler follows the parent. */
  traceShare: number;
  /** Every setting as it was read; secrets are not in it. */
  settings: readonly SettingSeen[];
}>;

export type Environment = Record<string, string | undefined>;

/** `.env` fills in what the environment does not set; dotenv's own loader prints, its parser does not. */
export function readEnvironment(env: Environment, folder: string): Environment {
  let text: string;
  try {
    text = readFileSync(join(folder, '.env'), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { ...env };
    throw new CarillonError('config-invalid', `.env cannot be read: ${(error as Error).message}`, {
      remedy: 'Correct or remove .env in the current folder.',
    });
  }
  return { ...parseDotenv(text), ...env };
}

/** Supplies the service's own values for settings that are left out. */
export type Describe = (
  service: string | undefined,
  profilePath: string | undefined,
) => Readonly<Partial<ServiceDefaults>>;

/** `own` is the environment without what `.env` has added. */
export function loadConfig(
  env: Environment,
  own: Environment = env,
  describe: Describe = () => ({}),
): Config {
  const seen = new Map<string, SettingSeen>();
  const read = (name: string) => {
    const value = env[name]?.trim() || undefined;
    seen.set(name, seeSetting(name, value, own[name] === undefined ? '.env' : 'environment'));
    return value;
  };
  const number = (name: string, fallback: number | undefined, schema: z.ZodType<number>, wanted: string) => {
    const text = read(name);
    if (text === undefined) return fallback;
    const parsed = schema.safeParse(Number(text));
    if (!parsed.success) throw wrong(name, `is not ${wanted}: ${text}`);
    return parsed.data;
  };
  const url = (name: string, protocols: string[]) => {
    const text = read(name);
    if (text === undefined) return undefined;
    const protocol = URL.canParse(text) ? new URL(text).protocol : '';
    // The value may hold a password: the message names only the variable.
    if (!protocols.includes(protocol)) {
      throw wrong(name, `is not a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    }
    const nodes = new URL(text).searchParams.getAll('node');
    if (!nodes.every((node) => /^[^/?#@]+$/.test(node) && URL.canParse(`redis://${node}`)))
      throw wrong(name, 'has a node that is not HOST:PORT');
    return text;
  };
  // The variables that all programs share may also be spelled in lower case, and that spelling wins.
  const shared = (name: string) => {
    const spelled = env[name.toLowerCase()]?.trim() ? name.toLowerCase() : name;
    return { name: spelled, text: read(spelled) };
  };
  const whole = z.number().int().min(1);
  const service = read('VOICE_SERVICE')?.toLowerCase();
  const profilePath = read('VOICE_PROFILE');
  const described = describe(service, profilePath);
  const baseUrl = parseBaseUrl(read('VOICE_BASE_URL') ?? described.baseUrl ?? undefined);
  const ownKeys = parseKeys(read('VOICE_API_KEYS'));
  const keyFile = read('VOICE_API_KEYS_FILE');
  const keys = keyFile === undefined ? ownKeys : [...ownKeys, ...readKeyFile(keyFile, ownKeys)];
  const mayCome = keyFile !== undefined;
  const { rate, rates } = parseRates(read('VOICE_RATE'), keys, mayCome);
  const accounts = parseAccounts(read('VOICE_ACCOUNTS'), keys, (key) => rates[key] ?? rate, mayCome);
  const timeoutMs = number(
    'VOICE_TIMEOUT_MS',
    described.timeoutMs ?? 30_000,
    whole.max(600_000),
    'a whole number of milliseconds, 1 to 600000',
  );
  const apiToken = parseToken('API_TOKEN', read('API_TOKEN'));
  const publicUrl = parsePublicUrl(read('PUBLIC_URL'));
  return deepFreeze({
    voice: {
      baseUrl,
      route: chooseRoute(
        baseUrl,
        { name: 'VOICE_PROXY', text: read('VOICE_PROXY') },
        { https: shared('HTTPS_PROXY'), http: shared('HTTP_PROXY'), except: shared('NO_PROXY') },
      ),
      keys,
      ownKeys,
      keyFile,
      service,
      auth: oneOf('VOICE_AUTH', read('VOICE_AUTH')?.toLowerCase(), ['bearer', 'x-api-key'] as const),
      rate,
      rates,
      accounts,
      burst: number('VOICE_BURST', 1, whole, 'a whole number of 1 or more') ?? 1,
      ...parseMaxCalls(read('VOICE_MAX_CALLS'), described.maxCalls, keys, mayCome),
      maxCost: parseMaxCost(read('VOICE_MAX_COST'), described.tellsCost),
      timeoutMs: timeoutMs ?? 30_000,
      queueMs: described.queueMs ?? 0,
      callDeadlineMs:
        number(
          'VOICE_CALL_DEADLINE_MS',
          7_200_000,
          whole.max(604_800_000),
          'a whole number of milliseconds, 1 to 604800000',
        ) ?? 7_200_000,
      pollSeconds: parsePoll(read('VOICE_POLL')),
      profilePath,
    },
    policyPath: read('CARILLON_POLICY'),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: url('REDIS_URL', ['redis:', 'rediss:']),
    home: parseHome(read('CARILLON_HOME')),
    host: read('HOST') ?? '127.0.0.1',
    port: number('PORT', 3000, z.number().int().min(0).max(65_535), 'a port number from 0 to 65535') ?? 3000,
    apiToken,
    apiReadToken: parseToken('API_READ_TOKEN', read('API_READ_TOKEN')),
    apiRate: number('API_RATE', 3_000, whole, 'a whole number of requests a second, 1 or more') ?? 3_000,
    publicUrl,
    oidc: parseOidc({
      issuer: read('OIDC_ISSUER'),
      clientId: read('OIDC_CLIENT_ID'),
      clientSecret: read('OIDC_CLIENT_SECRET'),
      roles: read('OIDC_ROLES'),
      publicUrl,
      apiToken,
    }),
    trustedProxies: parseNetworks('TRUSTED_PROXIES', read('TRUSTED_PROXIES')),
    corsOrigins: parseOrigins(read('CORS_ORIGINS')),
    hookSecret: parseHookSecret(read('CARILLON_HOOK_SECRET')),
    hookKey: read('CARILLON_HOOK_KEY'),
    secret: parseSecret(read('CARILLON_SECRET')),
    alertMail: parseAlertMail(url('ALERT_SMTP_URL', ['smtp:', 'smtps:']), read('ALERT_FROM')),
    heartbeatUrl: url('HEARTBEAT_URL', ['https:', 'http:']),
    mcpActs: isOn('MCP_ACTS', read('MCP_ACTS')),
    webhookAllowPrivate: isOn('WEBHOOK_ALLOW_PRIVATE', read('WEBHOOK_ALLOW_PRIVATE')),
    listAllowPrivate: isOn('LIST_ALLOW_PRIVATE', read('LIST_ALLOW_PRIVATE')),
    s3: parseS3(read),
    eventDays:
      number('CARILLON_EVENT_DAYS', 7, whole.min(4).max(3_650), 'a whole number of days, 4 to 3650') ?? 7,
    keepDays: number(
      'CARILLON_KEEP_DAYS',
      undefined,
      whole.max(36_500),
      'a whole number of days, 1 to 36500',
    ),
    logLevel:
      oneOf('LOG_LEVEL', read('LOG_LEVEL'), [
        'fatal',
        'error',
        'warn',
        'info',
        'debug',
        'trace',
        'silent',
      ] as const) ?? 'info',
    traceShare: parseTraceShare(read('OTEL_TRACES_SAMPLER'), read('OTEL_TRACES_SAMPLER_ARG')),
    // Last, because by now all the others have been read.
    settings: [...seen.values()],
  });
}

function parseBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const read = readServiceUrl(text);
  if ('fault' in read) throw wrong('VOICE_BASE_URL', read.fault);
  return read.url;
}

/** Null means that the polls are learned from the calls. */
function parsePoll(text: string | undefined): number | null {
  if (text === undefined || text.toLowerCase() === 'auto') return null;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds >= 0.1 && seconds <= 3_600) return seconds;
  throw wrong('VOICE_POLL', `is neither "auto" nor a number of seconds, 0.1 to 3600: ${text}`);
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part && typeof part === 'object') deepFreeze(part);
  return Object.freeze(value);
}
