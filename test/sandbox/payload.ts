/**
 * JSON of any webhook or endpoint, as a test reads it: what is looked for is the expectation's to say, so a type of each
 * of them would say it twice.
 */
// biome-ignore lint/suspicious/noExplicitAny: the expectations say what is in it.
export type Payload = any;
