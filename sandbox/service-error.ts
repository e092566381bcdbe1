/** A refusal in the service's own form: a status code and `{"Message": …}`. */
export class ServiceError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** 400 for a bad request. The detail helps the caller. */
export function invalidRequest(detail: string): ServiceError {
  return new ServiceError(400, `The request is invalid. ${detail}`);
}
