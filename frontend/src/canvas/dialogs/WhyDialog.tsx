import { useLingui } from "@lingui/react/macro";
import { Modal, Select } from "@mantine/core";
import { useState } from "react";
import { useChoices } from "@/mail/peopleChoices";
import { WhyAnswer } from "@/ui/WhyAnswer";
import type { Person } from "../answers";
import { set, useEditor, useEditorStore } from "../store";
import d from "./dialogs.module.css";

const nameOf = (p: Person) => {
  const name = [p.first_name, p.last_name].filter(Boolean).join(" ");
  return [name, p.email].filter(Boolean).join(", ") || p.id;
};

/** Type a name: why is this person in the funnel, or not? */
export function WhyDialog() {
  const { t } = useLingui();
  const store = useEditorStore();
  const funnel = useEditor((s) => s.funnel);
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const people = useChoices(typed, nameOf);
  return (
    <Modal opened onClose={() => set(store, { dialog: undefined })} title={t`Why is somebody in this funnel, or not?`}>
      <div className={d.stack} data-testid="why-dialog">
        <Select
          aria-label={t`Person`}
          placeholder={t`Name or e-mail`}
          searchable
          autoFocus
          filter={({ options }) => options}
          data={people}
          value={chosen}
          onChange={setChosen}
          searchValue={typed}
          onSearchChange={setTyped}
          nothingFoundMessage={t`Nobody of that name`}
          comboboxProps={{ withinPortal: true }}
        />
        {chosen && <WhyAnswer funnel={funnel.id} contact={chosen} />}
      </div>
    </Modal>
  );
}
