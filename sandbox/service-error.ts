/** A refusal in the service's own form: a status code and `{"Message": …}`. */
export class ServiceError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** 405 for a method that the path does not support. */
export function wrongMethod(allowed: readonly string[]): ServiceError {
  const methods = [...new Set(allowed)];
  return new ServiceError(405, `Use ${methods.join(' or ')}`, { Allow: methods.join(', ') });
}

/** 400 for a bad request. The detail helps the caller. */
export function invalidRequest(detail: string): ServiceError {
  return new ServiceError(400, `The request is invalid. ${detail}`);
}
