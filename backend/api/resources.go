package api

import (
	"encoding/json"

	"github.com/lejek/lejek/backend/bookings"
	"github.com/lejek/lejek/backend/store"
)

func (h *handlers) toResource(r store.Resource) Resource {
	var hours WeekHours
	_ = json.Unmarshal(r.Hours, &hours) // checked when it was kept
	return Resource{
		Id: r.ID, Slug: r.Slug, Name: r.Name, Description: r.Description, Zone: r.Zone, Hours: hours, SlotMinutes: int(r.SlotMinutes),
		BufferMinutes: int(r.BufferMinutes), NoticeMinutes: int(r.NoticeMinutes), HorizonDays: int(r.HorizonDays), Url: h.Inbound.Bookings.URL(r.ID),
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
	}
}

func fromResourceInput(in ResourceInput) bookings.Input {
	hours := bookings.Hours{}
	for day, openings := range map[string]*DayHours{
		"mon": in.Hours.Mon, "tue": in.Hours.Tue, "wed": in.Hours.Wed, "thu": in.Hours.Thu, "fri": in.Hours.Fri, "sat": in.Hours.Sat, "sun": in.Hours.Sun,
	} {
		if openings != nil && len(*openings) > 0 {
			hours[day] = each(*openings, func(o OpeningHours) bookings.Opening { return bookings.Opening{From: o.From, To: o.To} })
		}
	}
	return bookings.Input{
		Slug: orZero(in.Slug), Name: in.Name, Description: orZero(in.Description), Zone: orZero(in.Zone), Hours: hours, SlotMinutes: in.SlotMinutes,
		BufferMinutes: orZero(in.BufferMinutes), NoticeMinutes: orZero(in.NoticeMinutes), HorizonDays: orZero(in.HorizonDays),
	}
}
