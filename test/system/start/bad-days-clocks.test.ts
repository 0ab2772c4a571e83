import { registerFaultTests } from '#test/support/bad-days.ts';

registerFaultTests('embedded', true);
