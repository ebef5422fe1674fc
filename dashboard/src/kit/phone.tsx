export const serviceChose = 'chosen by the service';

export const Caller = ({ phone }: { phone: string | null }) =>
  phone ? <Phone phone={phone} /> : serviceChose;

/** The country codes of one and of two digits; all others have three. */
const parts = /^(\+(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3}))(\d{4,})$/;

/** `+14155550103` as its country and groups of three or four. */
function groupsOf(phone: string): string[] {
  const [, country, rest] = parts.exec(phone) ?? [];
  return country ? [country, ...rest!.match(/^\d{4}(?=\d{4}$)|\d{3}(?=\d\d)|\d+/g)!] : [phone];
}

export const phoneText = (phone: string) => groupsOf(phone).join(' ');

/** A phone number; null for who may not see people, empty of a person who was erased. */
export function Phone({ phone }: { phone: string | null | undefined }) {
  if (phone === '') return <span className="text-quiet">erased</span>;
  if (!phone) return <span className="text-quiet">hidden</span>;
  return (
    <span className="whitespace-nowrap">
      {/* Set apart without spaces: what is copied is the number as it is dialled. */}
      {groupsOf(phone).map((digits, nth) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the groups do not move.
        <span key={nth} className={nth > 0 ? 'ml-[0.3em]' : undefined}>
          {digits}
        </span>
      ))}
    </span>
  );
}
