/** A map that drops its oldest entry when there are too many. An entry that is set again is the newest. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size <= this.#max) return this;
    const oldest = this.keys().next();
    if (!oldest.done) this.delete(oldest.value);
    return this;
  }
}
