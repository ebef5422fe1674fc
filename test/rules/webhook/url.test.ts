import { describe, expect, it } from 'vitest';
import { kindOfAddress } from '../../../src/http/network-kind.ts';
import { readWebUrl } from '../../../src/rules/webhook/url.ts';

describe('the URL of a webhook', () => {
  it.each([
    ['https://hooks.example/carillon?team=7', 'https://hooks.example/carillon?team=7'],
    [' HTTPS://Hooks.Example ', 'https://hooks.example/'],
    ['https://hooks.example:8443/x', 'https://hooks.example:8443/x'],
  ])('is taken: %s', (given, url) => {
    expect(readWebUrl(given, false)).toEqual({ url });
  });

  it.each([
    ['http://hooks.example/', 'starts with http://'],
    ['ftp://hooks.example/', 'does not start with https://'],
    ['hooks.example/x', 'is not a URL'],
    ['https://user:word@hooks.example/', 'has a user name or a password'],
    ['https://hooks.example/#x', 'has a # part'],
    ['https://hooks.example:25/', 'has port 25'],
    [`https://hooks.example/${'x'.repeat(2_000)}`, 'is longer than'],
  ])('is refused: %s', (given, fault) => {
    expect(readWebUrl(given, false)).toEqual({ fault: expect.stringContaining(fault) });
  });

  it('may be plain, and have any port, where private networks are allowed', () => {
    expect(readWebUrl('http://127.0.0.1:81/x', true)).toEqual({ url: 'http://127.0.0.1:81/x' });
    expect(readWebUrl('https://user@hooks.example/', true)).toHaveProperty('fault');
  });

  it.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://[::ffff:127.0.0.1]/',
  ])('is this machine in whatever spelling: %s', (given) => {
    const { url } = readWebUrl(given, true) as { url: string };
    expect(kindOfAddress(new URL(url).hostname)).toBe('private');
  });
});
