/**
 * JSON of any webhook or endpoint, as a test reads it: what is looked for is the expectation's to say, so a type of each
 * of them would say it twice.
 */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type Payload = any;
