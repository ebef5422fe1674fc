/** Made by `npm run digests`: what each package of the embedded Postgres holds, by its version and platform. */
export const digestTable: Readonly<Record<string, string>> = {
  '18.4.0-beta.17-darwin-arm64': 'e2902571d6bf43dc47e09a29cf8178f1a6c0e495827ab0df0bd79c5feefca124',
  '18.4.0-beta.17-darwin-x64': 'e2902571d6bf43dc47e09a29cf8178f1a6c0e495827ab0df0bd79c5feefca124',
  '18.4.0-beta.17-linux-arm64': '85eadcd6948d7ce5dec22462560d2a34380f2bd2e0a2912e3d87959959cc918d',
  '18.4.0-beta.17-linux-x64': '32a55772cc79179ac3b025e77b68dbd474c017dea65d5a7af1426fd675ee7a9c',
};
