/**
 * JSON of any webhook or endpoint as read by a test. The expectations state its shape, so a type would only repeat them.
 */
export type Payload = ReturnType<typeof JSON.parse>;
