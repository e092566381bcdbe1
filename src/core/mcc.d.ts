/** The list of merchant category codes; the package itself has no types. Only what is read of it. */
declare module 'mcc' {
  interface Category {
    readonly mcc: string;
    readonly edited_description: string;
  }
  const mcc: { get(code: string): Category | undefined; readonly all: readonly Category[] };
  export = mcc;
}
