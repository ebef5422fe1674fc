import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Builds the page, and serves its sources while they are written: `npm run page`, next to a `carillon up`. */
const root = fileURLToPath(new URL('.', import.meta.url));
const api = process.env.CARILLON_URL ?? 'http://127.0.0.1:3000';
const ofServer = '^/(?:api|queues|login|logout|healthz|readyz|metrics|docs|llms\\.txt)(?:/|\\?|$)';

/** The font is passed on, so its licence goes with it. */
const licence: Plugin = {
  name: 'licence',
  generateBundle() {
    const source = readFileSync(`${root}../node_modules/@fontsource-variable/geist/LICENSE`);
    this.emitFile({ type: 'asset', fileName: 'geist-LICENSE.txt', source });
  },
};

export default defineConfig({
  root,
  publicDir: 'static',
  plugins: [react(), tailwind(), licence],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // The content policy has no room for inline code, nor for data: fonts and images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Says which files a page needs: a test holds their sizes.
    manifest: true,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Many small files that the first screen or every page needs pack worse than one.
          groups: [
            {
              name: 'base',
              test: /node_modules\/(?:react|react-dom|scheduler|use-sync-external-store|@tanstack\/(?:react-(?:query|router|store)|query-core|router-core|history|store)\/)|dashboard\/src\/(?:api\/(?!order-form|alert-kinds|list-type|hide-people)|live\/(?!hub|stream|events)|shell\/(?:me|keys|navigation|needs|needs-list|page-link|mark|live-calls|campaigns))|dashboard\/src\/(?:campaigns\/(?:pace|state)|pages\/overview\/brief|kit\/answers)\.|dashboard\/src\/kit\/(?:badge|balance-bar|button|card|commands|copy|empty|field|icon|meter|page|phone|spark|store|time|toast|words)\./,
            },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    port: 5173,
    // The API takes acts only from its own origin, so the proxy speaks as that.
    proxy: { [ofServer]: { target: api, changeOrigin: true, headers: { origin: api } } },
  },
});
