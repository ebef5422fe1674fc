import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isReady } from './api/look.ts';
import { queryClient, startLive } from './data/queries.ts';
import { App } from './router.tsx';
import './styles.css';

// Nothing is shown before it hides what it shall.
void Promise.resolve(isReady).then(() => {
  startLive();
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
});
