/** A phone number; null for who may not see people. */
export function Phone({ phone }: { phone: string | null | undefined }) {
  if (!phone) return <span className="text-quiet">hidden</span>;
  return <span className="font-mono text-sm whitespace-nowrap">{phone}</span>;
}
