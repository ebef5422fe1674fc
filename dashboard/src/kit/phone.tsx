/** A phone number; null for who may not see people, empty of a person who was erased. */
export function Phone({ phone }: { phone: string | null | undefined }) {
  if (phone === '') return <span className="text-quiet">erased</span>;
  if (!phone) return <span className="text-quiet">hidden</span>;
  return <span className="whitespace-nowrap">{phone}</span>;
}
