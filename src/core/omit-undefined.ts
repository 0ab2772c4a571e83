/** The type with each member that may be undefined made optional; `exactOptionalPropertyTypes` distinguishes the two. */
export type WithoutUndefined<Members> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** A copy without the members that are undefined. Members that are null stay: null is a value. */
export function omitUndefined<Members extends object>(members: Members): WithoutUndefined<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<Members>;
}
