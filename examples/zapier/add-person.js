// Code by Zapier (JavaScript): has a person called. Its input data: `url` of Carillon, `token` (role operate), `campaign`,
// `phone`, `name`, and `deal`, which names the request: a step that is replayed calls nobody a second time.
const { url, token, campaign, phone, name, deal } = inputData;
const response = await fetch(`${url}/api/campaigns/${encodeURIComponent(campaign)}/recipients?country=US`, {
  method: 'POST',
  headers: {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'idempotency-key': `zap-${deal}`,
  },
  body: JSON.stringify([{ phone, name, deal }]),
});
const answer = await response.json();
if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
output = { new: answer.new, known: answer.known, rejected: answer.rejects[0]?.reason ?? '' };
