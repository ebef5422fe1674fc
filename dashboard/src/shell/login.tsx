import { useEffect, useState } from 'react';
import { ask, type Me, problemOf, unreachable } from '../api/ask.ts';
import { keyOf, queryClient, refreshEverything } from '../data/queries.ts';
import { Button, CarillonMark, Command } from '../kit/basics.tsx';
import { Form, TextField } from '../kit/form.tsx';
import { useModal } from '../kit/store.ts';

/**
 * Takes a token once and gives it to the server, which answers with a session; or a provider says who it is. The page
 * keeps no token.
 */
export function Login() {
  const [problem, setProblem] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const provider = useProvider();
  const submit = async (form: FormData) => {
    setBusy(true);
    setProblem(await open(String(form.get('token') ?? '')));
    setBusy(false);
  };
  return (
    <dialog
      ref={useModal()}
      aria-label="Log in"
      onCancel={(event) => event.preventDefault()}
      className="m-0 size-full max-h-none max-w-none bg-ground"
    >
      <main className="mx-auto max-w-sm p-6 pt-[16vh]">
        <CarillonMark size={40} />
        <h1 className="mt-3 text-2xl font-semibold tracking-[-0.02em]">Carillon</h1>
        <p className="mt-1 mb-5 text-quiet">Log in to see and stop calls. They go on while nobody is here.</p>
        {provider && (
          <p className="mb-6">
            <Button kind="main" onClick={() => window.location.assign(`/login/provider?to=${here()}`)}>
              Log in by {provider}
            </Button>
          </p>
        )}
        <Form className="space-y-4" onSend={(typed) => void submit(typed)}>
          <TextField
            label="API token"
            name="token"
            type="password"
            autoComplete="current-password"
            required
            autoFocus={!provider}
            error={problem}
            help="Whoever runs Carillon gives you one. The login lasts 12 hours and may do what the token may."
          />
          <Button kind={provider ? 'plain' : 'main'} type="submit" busy={busy}>
            Log in
          </Button>
        </Form>
        <details className="mt-6 text-sm text-quiet">
          <summary className="w-max">I run Carillon, and have no token</summary>
          <p className="mt-1.5">
            It is the value of <code>API_TOKEN</code> or <code>API_READ_TOKEN</code>. Make others, one for
            each person:
          </p>
          <Command>carillon token create --name ann --role operate --ends 90d</Command>
        </details>
      </main>
    </dialog>
  );
}

const here = () => encodeURIComponent(window.location.pathname + window.location.search);

/** The host of the provider by which one can log in; null where there is none. */
function useProvider(): string | null {
  const [provider, setProvider] = useState<string | null>(null);
  useEffect(() => {
    fetch('/login/ways')
      .then((answer) => answer.json())
      .then((ways: { provider: string | null }) => setProvider(ways.provider))
      // Then the token is the only way.
      .catch(() => undefined);
  }, []);
  return provider;
}

async function open(token: string): Promise<string | undefined> {
  try {
    const response = await fetch('/login', {
      method: 'POST',
      body: new URLSearchParams({ token }),
      redirect: 'manual',
    });
    if (response.type !== 'opaqueredirect' && !response.ok) return (await problemOf(response)).message;
  } catch {
    const { message, remedy } = unreachable();
    return `${message} ${remedy}`;
  }
  // Who goes on where the login ended finds what was typed; to others nothing is shown of it.
  const who = ({ name, role }: Me) => `${name} ${role}`;
  const before = queryClient.getQueryData<Me>(keyOf('one', '/api/me'));
  const now = await ask('GET /api/me', {}).catch(() => null);
  if (!before || !now || who(before) !== who(now)) await queryClient.resetQueries();
  refreshEverything();
  return undefined;
}
