// What is wrong with the command line or the environment: the program ends with 2.

export class UsageError extends Error {
  /** 0 where the user asked for help or the version. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
