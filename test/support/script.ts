/** A program of the examples in its own process, as a user starts it. */
import { type ChildProcess, spawn } from 'node:child_process';

export type Script = {
  child: ChildProcess;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stop(): Promise<void>;
};

export function startScript(path: string, args: string[], env: Record<string, string>): Script {
  const child = spawn(process.execPath, [path, ...args], { env: { PATH: process.env.PATH, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return {
    child,
    ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
