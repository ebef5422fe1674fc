import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Builds the page, and serves its sources while they are written: `npm run page`, next to a `carillon up`. */
const root = fileURLToPath(new URL('.', import.meta.url));
const api = process.env.CARILLON_URL ?? 'http://127.0.0.1:3000';
const ofServer = '^/(?:api|queues|login|logout|healthz|readyz|metrics|docs|llms\\.txt)(?:/|\\?|$)';

export default defineConfig({
  root,
  publicDir: 'static',
  plugins: [react(), tailwind()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome125', 'safari18.2', 'firefox128'],
    // The content policy has no room for inline code, nor for data: fonts and images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Says which files a page needs: a test holds their sizes.
    manifest: true,
    // All that the first screen needs, in one file: many small ones pack worse.
    rolldownOptions: {
      output: {
        codeSplitting: { groups: [{ name: 'first', test: /rolldown\/runtime|dashboard\/src\/main\.tsx$/ }] },
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
