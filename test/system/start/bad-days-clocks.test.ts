import { testBadDays } from '#test/support/bad-days.ts';

testBadDays('embedded', true);
