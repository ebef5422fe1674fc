export const serviceChose = 'chosen by the service';

/** The number that calls. */
export const Caller = ({ phone }: { phone: string | null }) =>
  phone ? <Phone phone={phone} /> : serviceChose;

/** A phone number; null for who may not see people, empty of a person who was erased. */
export function Phone({ phone }: { phone: string | null | undefined }) {
  if (phone === '') return <span className="text-quiet">erased</span>;
  if (!phone) return <span className="text-quiet">hidden</span>;
  // Set apart without spaces: what is copied is the number as it is dialled.
  const [country, ...groups] = /^(\+1)(\d{3})(\d{3})(\d{4})$/.exec(phone)?.slice(1) ?? [phone];
  return (
    <span className="whitespace-nowrap">
      {country}
      {groups.map((digits, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups do not move.
        <span key={nth} className="ml-[0.3em]">
          {digits}
        </span>
      ))}
    </span>
  );
}
