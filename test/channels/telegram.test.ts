import { describePlatform } from "../support/channels/kit.ts";
import { telegramFixture } from "../support/channels/telegram/telegram-fixture.ts";

describePlatform(telegramFixture);
