import { useLingui } from "@lingui/react/macro";
import { type ComponentProps, lazy, Suspense, useState } from "react";
import { useSession } from "@/api/session";
import { Face } from "@/ui/Face";
import railClasses from "./rail.module.css";

const UserPopover = lazy(() => import("./UserPopover"));

/** Language, theme and account, behind one's own name. What opens is loaded after the first picture. */
export function UserMenu() {
  const [open, setOpen] = useState(false);
  const button = <UserButton aria-expanded={open} onClick={() => setOpen((was) => !was)} />;
  return (
    <Suspense fallback={button}>
      <UserPopover open={open} setOpen={setOpen}>
        {button}
      </UserPopover>
    </Suspense>
  );
}

function UserButton(props: ComponentProps<"button">) {
  const { t } = useLingui();
  const { user } = useSession();
  return (
    <button type="button" {...props} className={railClasses.user}>
      <Face name={user.name} seed={user.id} size={24} />
      <span className={`${railClasses.names} cut`}>{user.name || user.email}</span>
      <span className="visually-hidden">{t`language, theme, account`}</span>
    </button>
  );
}
