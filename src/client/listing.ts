/** A page of a list, as the API answers it. */
export type ListingPage<T> = { items: T[]; next: string | null };

/** Awaited, it is the first page; iterated, every item of all pages. */
export type Listing<T> = Promise<ListingPage<T>> & AsyncIterable<T>;

export function createListing<T>(readPage: (cursor?: string) => Promise<ListingPage<T>>): Listing<T> {
  const first = readPage();
  async function* items(): AsyncGenerator<T, void, undefined> {
    for (let page = await first; ; page = await readPage(page.next)) {
      yield* page.items;
      // A search may answer a page without items before its last one.
      if (page.next === null) return;
    }
  }
  return Object.assign(first, { [Symbol.asyncIterator]: items });
}
