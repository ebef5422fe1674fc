import { useAsk } from '../data/queries.ts';

export function useCampaignChoices(): { value: string; label: string }[] {
  const campaigns = useAsk('GET /api/campaigns', { query: { limit: 200, kind: 'list,calls' } });
  return (campaigns.data?.items ?? []).map(({ name }) => ({ value: name, label: name }));
}
