// The two ways between Carillon and a CRM: people go in, results come back. Each CRM beside it says how.
//
// Results come by a webhook. A delivery is answered when the CRM has it; one that fails is refused, and Carillon sends it
// again for three days. It may come twice: a CRM writes it under `data.id`, so that the second changes nothing.
import { createServer } from 'node:http';
import { CarillonApiError, CarillonWebhookError, createClient, verifyWebhook } from 'carillon/client';

/** @typedef {{ phone: string, name?: string } & Record<string, string | undefined>} Person */
/** @typedef {import('carillon/client').Recipient} Result one person's, as the results have it; `input` is what went in */

/** @param {{ people(): AsyncIterable<Person>, result(data: Result, at: string): Promise<string> }} crm */
export async function main(crm) {
  const [act, campaign = 'deals'] = process.argv.slice(2);
  if (act === 'people') await addPeople(crm, campaign);
  else if (act === 'results') takeResults(crm);
  else {
    console.error('Say people CAMPAIGN, or results.');
    process.exitCode = 2;
  }
}

/** A phone is on a campaign once: started again, nobody is called a second time. */
async function addPeople({ people }, campaign) {
  const carillon = createClient({
    baseUrl: process.env.CARILLON_URL ?? 'http://127.0.0.1:3000',
    token: process.env.API_TOKEN,
  });
  try {
    const country = process.env.COUNTRY ?? 'US';
    const added = await carillon.people.add(campaign, people(), { country });
    console.log(`${campaign}: ${added.new} new, ${added.known} known, ${added.rejected} rejected`);
    for (const { line, reason } of added.rejects) console.log(`  person ${line}: ${reason}`);
  } catch (error) {
    console.error(error.message, error instanceof CarillonApiError ? error.remedy : '');
    process.exitCode = 1;
  }
}

function takeResults({ result }) {
  const { WEBHOOK_SECRET: secret, PORT = '8080', HOST = '127.0.0.1' } = process.env;
  if (!secret) {
    console.error('Set WEBHOOK_SECRET to what `carillon webhook add` printed.');
    process.exitCode = 2;
    return;
  }
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    try {
      const event = await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret });
      if (event.type === 'recipient.done' && 'input' in event.data)
        console.log(event.data.id, await result(event.data, event.at));
      response.writeHead(204).end();
    } catch (error) {
      const isForeign = error instanceof CarillonWebhookError;
      if (!isForeign) console.error(error.message);
      response.writeHead(isForeign ? 401 : 503).end();
    }
  });
  server.listen(Number(PORT), HOST, () =>
    console.log(`listening on http://${HOST}:${server.address().port}/hook`),
  );
}
