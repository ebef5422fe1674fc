import type { Command } from 'commander';
import type { Cli } from '../../command-io.ts';
import { summaries } from '../../command-summaries.ts';
import { group } from '../../group.ts';
import { policySetCommand, policyShowCommand } from './set.ts';
import { policyCheckCommand, policyListCommand, policyTestCommand } from './test.ts';

/** `carillon policy`: the contact rules of every campaign and single call. */
export function policyCommand(cli: Cli): Command {
  return group('policy', summaries.policy.does, 'carillon policy show', [
    policyShowCommand(cli),
    policySetCommand(cli),
    policyCheckCommand(cli),
    policyListCommand(cli),
    policyTestCommand(cli),
  ]);
}
