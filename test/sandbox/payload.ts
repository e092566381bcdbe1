/**
 * JSON of any webhook or endpoint as read by a test. The expectations state its shape, so a type would only repeat them.
 */
// biome-ignore lint/suspicious/noExplicitAny: the expectations state its shape.
export type Payload = any;
